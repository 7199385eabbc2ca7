/** Ending a launch on its page and in the API, and the errors where that is not possible. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Launch, type ApiError } from "@kernelbot/core";
import { beginSession } from "../../auth/sessions.ts";
import { ensureOperator } from "../../auth/operator.ts";
import { authenticate } from "../../auth/tokens.ts";
import { fakeBrowser, HERE, type FakeBrowser } from "@kernelbot/testing/fake-browser.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let token: string;
let browser: FakeBrowser;

beforeAll(async () => {
  testServer = await openTestServer();
  const { database } = testServer;
  await ensureOperator(database);
  token = await testServer.token("root", ["read", "admin"]);
  browser = fakeBrowser(testServer);
  const { account } = await authenticate(database, token);
  const session = await database.db
    .transaction()
    .execute((open) => beginSession(open, account.id, { address: "192.0.2.1", userAgent: "Browser/1" }));
  browser.cookies.set("kernelbot_session", session);
});
afterAll(() => testServer[Symbol.asyncDispose]());

/** Inserts a launch that its service has accepted. */
async function launched(name: string): Promise<void> {
  await testServer.database.sql`
    insert into launch (launcher, target, name, state, external_id, created_at, requested_at, launched_at, ends_by, rate_per_hour,
      due_at)
    values ('cluster', 'H100', ${name}, 'launched', '77', now(), now(), now(), now() + interval '1 hour', 1, now())`;
}
const over = (name: string) =>
  testServer.database.sql`update launch set state = 'ended', ended_at = '2026-03-01T12:00:00Z' where name = ${name}`;
const IS_OVER = (name: string): string => `launch ${name} already ended at 2026-03-01 12:00:00 UTC`;

test("the button shows the launch as ending, or reports that it has ended", async () => {
  await launched("kernelbot-1");
  const address = "/admin/launches/kernelbot-1/end";
  expect(await (await browser.get("/admin/launchers")).text()).toContain(`action="${address}"`);
  const pressed = await browser.post(address);
  expect([pressed.status, pressed.headers.get("location")]).toEqual([303, "/admin/launchers#kernelbot-1"]);
  const page = await (await browser.get("/admin/launchers")).text();
  expect(page).toContain('<span class="badge care">ending</span>');
  expect(page).not.toContain(`action="${address}"`);
  expect((await browser.post(address)).status).toBe(303);
  await over("kernelbot-1");
  const late = await browser.post(address);
  expect(late.status).toBe(409);
  expect(await late.text()).toContain(IS_OVER("kernelbot-1"));
});

test("rejects cross-site requests and unknown launches", async () => {
  await launched("kernelbot-2");
  const foreign = await browser.post("/admin/launches/kernelbot-2/end", {}, { origin: "https://elsewhere.example" });
  expect(foreign.status).toBe(403);
  expect((await browser.post("/admin/launches/kernelbot-0/end", {}, { origin: HERE })).status).toBe(404);
  expect((await browser.post("/admin/launches/..%00/end", {}, { origin: HERE })).status).toBe(422);
  const rows = await testServer.database.sql`select token_id from launch where name = 'kernelbot-2'`;
  expect(rows).toEqual([{ token_id: null }]);
});

test("the API ends launches with the same errors", async () => {
  await launched("kernelbot-3");
  const end = (): Promise<Response> => testServer.ask("/api/v1/launches/kernelbot-3/end", token, { method: "POST" });
  for (const answer of [await end(), await end()]) {
    expect(Launch.parse(await answer.json())).toMatchObject({ name: "kernelbot-3", state: "launched", ending: true });
  }
  await over("kernelbot-3");
  const late = await end();
  expect([late.status, (await late.json()) as ApiError]).toEqual([
    409,
    { detail: IS_OVER("kernelbot-3"), code: "conflict" },
  ]);
});
