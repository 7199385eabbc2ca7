/** Pictures of shared links: each shows what its page shows to everyone, and nothing else. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { claimed, failing, ranked, reported, request, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { CompetitionSpec } from "@kernelbot/core";
import { createCompetition } from "../competitions/change.ts";
import { authenticate } from "../auth/tokens.ts";
import { submit } from "../submissions/submit.ts";

let testServer: TestServer;
let submission: number;
beforeAll(async () => {
  testServer = await openTestServer();
  const { database } = testServer;
  const ann = await authenticate(database, await testServer.token("ann"));
  const box = await runner(database);
  submission = await ranked(database, ann, box, 300);
  await ranked(database, ann, box, 200, { source: "# 2\n" });
  await submit(database, ann, request());
  await reported(database, box, await claimed(database, box), failing("crash", "secret"));
});
afterAll(() => testServer[Symbol.asyncDispose]());

async function metaOf(path: string, token?: string): Promise<Record<string, string>> {
  const page = await (await testServer.ask(path, token, { headers: { accept: "text/html" } })).text();
  return Object.fromEntries(
    Array.from(page.matchAll(/<meta property="([^"]+)" content="([^"]*)"/g), ([, name = "", content = ""]) => [
      name,
      content,
    ]),
  );
}
const contentOf = (address = "") =>
  JSON.parse(Buffer.from(address.split("/").at(-1)?.split(".")[0] ?? "", "base64url").toString()) as unknown[];

test("boards, problems and submissions have a picture with their title, leader and figures", async () => {
  const board = await metaOf("/boards/double/cpu");
  expect(contentOf(board["og:image"])).toEqual([
    "double on cpu",
    "1 entry, led by ann with 200.0 ns.",
    [
      [0, 0],
      [899, 999],
    ],
  ]);
  expect(board["og:image:alt"]).toBe("double on cpu: 1 entry, led by ann with 200.0 ns.");
  const problem = await metaOf("/problems/double");
  expect(contentOf(problem["og:image"])).toEqual(["double", "cpu: 200.0 ns by ann. Doubles a vector.", []]);
  const own = await metaOf(`/submissions/${submission}`);
  expect(own["og:description"]).toMatch(/^double by ann: 300.0 ns on cpu/);

  const response = await testServer.ask(new URL(board["og:image"] ?? "").pathname);
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(response.headers.get("cache-control")).toMatch(/public.*immutable/);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect([bytes.subarray(1, 4).toString(), bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual(["PNG", 1200, 630]);
});

test("pseudonyms, frozen entries and closed competitions do not appear in a picture", async () => {
  const { database } = testServer;
  const olga = await authenticate(
    database,
    await testServer.token("olga", ["submit", "read", "admin"], [], ["organiser"]),
  );
  const zoe = await authenticate(database, await testServer.token("zoe"));
  const box = await runner(database);
  const spring = CompetitionSpec.parse({
    ...{ name: "spring", title: "Spring", problems: ["triple"], names: "pseudonyms" },
    ...{ startsAt: "2020-01-01T00:00:00Z", endsAt: "2100-01-01T00:00:00Z" },
  });
  await createCompetition(database, olga, spring);
  const id = await ranked(database, zoe, box, 300, { board: "triple" });
  const paths = ["/boards/triple/cpu", "/problems/triple", `/submissions/${id}`];
  for (const path of paths) {
    expect(JSON.stringify(contentOf((await metaOf(path))["og:image"]))).toMatch(/anon-[0-9a-f]{12}/);
    expect(JSON.stringify(await metaOf(path))).not.toContain("zoe");
  }
  await database.sql`update competition set freeze_at = now()`;
  await ranked(database, zoe, box, 7, { board: "triple", source: "# 3\n" });
  for (const path of paths) expect(String(contentOf((await metaOf(path))["og:image"]))).not.toMatch(/\b7\.0/);
  await database.sql`update competition set visibility = 'closed'`;
  for (const path of paths) expect((await metaOf(path))["og:image"]).toMatch(/\/assets\/preview-/);
});

test("a page that needs an account has the picture of the site", async () => {
  const token = await testServer.token("ann");
  expect((await metaOf("/boards/double/cpu", token))["og:image"]).toMatch(/\/assets\/preview-/);
});

test("a picture that the server did not sign is not found", async () => {
  const { pathname } = new URL((await metaOf("/boards/double/cpu"))["og:image"] ?? "");
  const [content = "", mac = ""] = pathname.slice("/pictures/".length).split(".");
  const other = Buffer.from(JSON.stringify(["Forged", "", []])).toString("base64url");
  for (const path of [`${other}.${mac}`, `${content}.${mac.slice(1)}`, `${content}.${"A".repeat(22)}`]) {
    expect((await testServer.ask(`/pictures/${path}.png`)).status).toBe(404);
  }
});
