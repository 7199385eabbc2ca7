/** The export of the audit log: API, page and command. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AuditEntry } from "@kernelbot/core";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

/** More than are read by one statement. */
const ENTRIES = 2500;

let testServer: TestServer;
let root: string;

beforeAll(async () => {
  testServer = await openTestServer({ listening: true });
  root = await testServer.token("root", ["submit", "read", "account", "admin"]);
  await testServer.database.sql`insert into audit (at, account_id, act, subject, detail)
    select '2020-01-01T00:00:00Z'::timestamptz + make_interval(hours => n), a.id, '=1+1', '@sum', json_build_object('n', n)
    from generate_series(1, ${ENTRIES}) n, account a where a.name = 'root' order by n`;
});
afterAll(() => testServer[Symbol.asyncDispose]());

async function exported(query: string, token = root): Promise<AuditEntry[]> {
  const response = await testServer.ask(`/api/v1/admin/audit/export${query}`, token);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  return (await response.text())
    .trimEnd()
    .split("\n")
    .map((line) => AuditEntry.parse(JSON.parse(line)));
}

test("the export contains every entry, oldest first, and the record of itself", async () => {
  const entries = await exported("");
  const numbers = entries.flatMap(({ act, detail }) => (act === "=1+1" ? [detail.n] : []));
  expect(numbers).toEqual(Array.from({ length: ENTRIES }, (_, index) => index + 1));
  expect(entries.at(-1)).toMatchObject({ act: "export", subject: "audit", detail: { format: "ndjson" } });
});

test("a period begins at its first moment and ends before its last", async () => {
  const entries = await exported("?since=2020-01-02&until=2020-01-03T02:00:00%2B02:00");
  expect(entries.map(({ at }) => at)).toEqual(
    Array.from({ length: 24 }, (_, hour) => `2020-01-02T${String(hour).padStart(2, "0")}:00:00.000Z`),
  );
  const wrong = await testServer.ask("/api/v1/admin/audit/export?since=yesterday", root);
  expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining("such as 2026-03-01")]);
});

test("CSV of the page has a header, and no cell is a formula", async () => {
  const response = await testServer.ask("/admin/audit/export?format=csv&since=2020-01-02&until=", root);
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="audit.csv"');
  const lines = (await response.text()).split("\r\n");
  expect(lines[0]).toBe("id,at,account_id,account,act,subject,detail");
  expect(lines[1]).toMatch(/^\d+,2020-01-02T00:00:00\.000Z,[^,]+,root,'=1\+1,'@sum,"{""n"":24}"$/);
  expect(lines).toHaveLength(ENTRIES - 23 + 2 + (await exported("?since=2021-01-01")).length - 1);
});

test("only administrators export", async () => {
  const mod = await testServer.token("mod", ["read", "admin"], [], ["moderator"]);
  expect((await testServer.ask("/api/v1/admin/audit/export", mod)).status).toBe(403);
});

test("the command writes a file, and leaves none behind when the server refuses", async () => {
  using place = workshop();
  const env = { KERNELBOT_SERVER: testServer.url, KERNELBOT_TOKEN: root };
  const file = join(place.folder, "log.csv");
  const args = ["admin", "audit-export", file, "--until", "2020-01-02"];
  expect((await place.kernelbot(args, { env })).out).toMatch(/^Wrote the audit log to .*log\.csv: [\d.]+ KiB\.\n$/);
  expect(readFileSync(file, "utf8").trimEnd().split("\r\n")).toHaveLength(1 + 23);
  const other = join(place.folder, "log.ndjson");
  const refused = await place.kernelbot(["admin", "audit-export", other, "--since", "never"], { env });
  expect([existsSync(other), existsSync(`${other}.part`)]).toEqual([false, false]);
  expect(refused.err).toContain("such as 2026-03-01");
  expect((await place.kernelbot(["admin", "audit-export", "log.txt"], { env })).err).toContain(
    "ends in .ndjson or .csv",
  );
});
