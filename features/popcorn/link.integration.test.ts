/** The page and the command that link the popcorn client. */
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beginSession } from "@kernelbot/server/src/auth/sessions.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { fakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { openTestServer } from "@kernelbot/testing/server-with-problems.ts";
import { expect, test } from "vitest";

test("a page and a command link the popcorn client, which then acts as the account", async () => {
  await using testServer = await openTestServer({ listening: true });
  const { database } = testServer;
  const ann = await testServer.token("ann", ["submit", "read", "account"]);
  const { id } = await database.db
    .selectFrom("account")
    .select("id")
    .where("name", "=", "ann")
    .executeTakeFirstOrThrow();
  const browser = fakeBrowser(testServer);
  const secret = await database.db
    .transaction()
    .execute((transaction) => beginSession(transaction, id, { address: "192.0.2.1", userAgent: "Browser/1" }));
  browser.cookies.set("kernelbot_session", secret);
  const empty = await (await browser.get("/link-popcorn")).text();
  expect(empty).toContain("Create token");
  expect(empty).toContain('<a href="/docs/guides/use-the-popcorn-client" class="guide">Guide</a>');
  const page = await (await browser.post("/link-popcorn")).text();
  using place = workshop();
  const env = { KERNELBOT_SERVER: testServer.url, KERNELBOT_TOKEN: ann };
  const { out } = await place.kernelbot(["link-popcorn"], { env });
  expect(out).toMatch(new RegExp(`^export POPCORN_API_URL=${testServer.url}\necho 'cli_id: .*' > ~/.popcorn.yaml\n$`));
  await place.kernelbot(["link-popcorn", "--home", "popcorn"], { env });
  const file = join(place.folder, "popcorn/.popcorn.yaml");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const text of [page, out, readFileSync(file, "utf8")]) {
    const [, id = ""] = /cli_id: (kb_[\w-]{43})/.exec(text) ?? [];
    const list = await testServer.app.request("/user/submissions", { headers: { "x-popcorn-cli-id": id } });
    expect(list.status).toBe(200);
  }
});

test("a server without routes for the popcorn client creates no token for it", async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  using place = workshop();
  const { code, err } = await place.kernelbot(["link-popcorn"], { server: url });
  server.close();
  expect(err).toBe(`kernelbot: ${url} does not serve the popcorn client; nothing was created\n`);
  expect({ code, requests }).toEqual({ code: 2, requests: ["GET /leaderboards"] });
});
