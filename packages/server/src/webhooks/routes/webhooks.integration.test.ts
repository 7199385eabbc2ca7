import { afterAll, beforeAll, expect, test } from "vitest";
import { CreatedWebhook, WebhookDeliveryList, WebhookList } from "@kernelbot/core";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let ann: string;
let other: string;
let expired: string;
let id: number;
let delivery: string;

const json = { "content-type": "application/json" };
const hook = { url: "https://example.org/hook", events: ["submission.finished"] };

beforeAll(async () => {
  testServer = await openTestServer();
  [ann, other, expired] = (await Promise.all(
    ["ann", "other", "late"].map((name) => testServer.token(name, ["account"])),
  )) as [string, string, string];
  await testServer.database.sql`update token set expires_at = now() - interval '1 day'
    from account a where a.id = account_id and a.name = 'late'`;
  const made = await testServer.ask("/api/v1/webhooks", ann, {
    method: "POST",
    headers: json,
    body: JSON.stringify(hook),
  });
  expect(made.status).toBe(201);
  expect(made.headers.get("cache-control")).toContain("no-store");
  id = CreatedWebhook.parse(await made.json()).webhook.id;
  expect((await testServer.ask(`/api/v1/webhooks/${id}/test`, ann, { method: "POST" })).status).toBe(202);
  const log = await testServer.ask(`/api/v1/webhooks/${id}/deliveries`, ann);
  delivery = WebhookDeliveryList.parse(await log.json()).deliveries[0]?.id ?? "";
});
afterAll(() => testServer[Symbol.asyncDispose]());

/** By route: the status for the owner, and for another account. The last one deletes the webhook. */
const ROUTES: [string, () => string, number, number][] = [
  ["GET", () => "/webhooks", 200, 200],
  ["GET", () => `/webhooks/${id}/deliveries?limit=10&before=9`, 200, 404],
  ["POST", () => `/webhooks/${id}/test`, 202, 404],
  ["POST", () => `/webhooks/${id}/deliveries/${delivery}/redeliver`, 202, 404],
  ["POST", () => `/webhooks/${id}/pause`, 200, 404],
  ["POST", () => `/webhooks/${id}/resume`, 200, 404],
  ["DELETE", () => `/webhooks/${id}`, 204, 404],
];

test.each(ROUTES)("%s %s is available only to the owner", async (method, path, owners, others) => {
  const status = async (token?: string) => (await testServer.ask(`/api/v1${path()}`, token, { method })).status;
  expect(await status()).toBe(401);
  expect(await status(expired)).toBe(401);
  expect(await status(other)).toBe(others);
  expect(await status(ann)).toBe(owners);
});

test("another account's list is empty", async () => {
  expect(WebhookList.parse(await (await testServer.ask("/api/v1/webhooks", other)).json()).webhooks).toEqual([]);
});

test.each([
  [{ url: "http://example.org/hook" }, "use https"],
  [{ url: "https://localhost.example:22/hook" }, "use port 443"],
  [{ url: "https://[::ffff:127.0.0.1]/hook" }, "is not a public address"],
  [{ events: ["submission.began"] }, "events"],
  [{ secret: "mine" }, "secret"],
])("%j is rejected with an explanation", async (change, why) => {
  const body = JSON.stringify({ ...hook, ...change });
  const response = await testServer.ask("/api/v1/webhooks", ann, { method: "POST", headers: json, body });
  expect(response.status).toBe(422);
  expect(await response.text()).toContain(why);
});
