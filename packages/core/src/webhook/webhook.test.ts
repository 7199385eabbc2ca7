import { expect, test } from "vitest";
import { NewWebhook, verifyWebhook, webhookHeaders, webhookSecret } from "./webhook.ts";

const SECRET = webhookSecret(new Uint8Array(32).fill(7));
const AT = new Date("2026-03-01T12:00:00Z");
const BODY = JSON.stringify({
  type: "webhook.test",
  sequence: 1,
  timestamp: "2026-03-01T12:00:00.000Z",
  data: { webhookId: 3 },
});

async function headers(change: Record<string, string> = {}): Promise<Headers> {
  return new Headers({ ...(await webhookHeaders(SECRET, "msg_1", AT, BODY)), ...change });
}

test("a signature equals the published example of Standard Webhooks", async () => {
  const signed = await webhookHeaders(
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "msg_p5jXN8AQM9LWM0D4loKWxJek",
    new Date(1_614_265_330_000),
    '{"test": 2432232314}',
  );
  expect(signed["webhook-signature"]).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("a signed webhook is accepted, also next to signatures of other versions", async () => {
  const one = await headers();
  expect(await verifyWebhook(SECRET, one, BODY, AT)).toEqual(JSON.parse(BODY));
  const several = await headers({ "webhook-signature": `v2,AAAA v1,!! v1,AAAA ${one.get("webhook-signature")}` });
  expect(await verifyWebhook(SECRET, several, BODY, AT)).toEqual(JSON.parse(BODY));
});

test.each([
  ["another body", {}, `${BODY} `, 0, "not signed with this secret"],
  ["another id", { "webhook-id": "msg_2" }, BODY, 0, "not signed with this secret"],
  ["another time", { "webhook-timestamp": "1772366401" }, BODY, 0, "not signed with this secret"],
  ["no time", { "webhook-timestamp": "now" }, BODY, 0, "too long ago"],
  ["no signature", { "webhook-signature": "" }, BODY, 0, "lacks one of its three headers"],
  ["a copy of six minutes ago", {}, BODY, 360_000, "too long ago"],
])("%s is rejected", async (_, change, body, laterMs, why) => {
  const now = new Date(AT.getTime() + laterMs);
  await expect(verifyWebhook(SECRET, await headers(change), body, now)).rejects.toThrow(why);
});

test("another secret fails the verification, and an invalid secret is reported", async () => {
  const other = webhookSecret(new Uint8Array(32).fill(8));
  await expect(verifyWebhook(other, await headers(), BODY, AT)).rejects.toMatchObject({ code: "unauthorized" });
  await expect(verifyWebhook("kb_token", await headers(), BODY, AT)).rejects.toThrow("looks like whsec_");
});

test.each([
  [{ url: "ftp://example.org", events: ["submission.finished"] }, "url"],
  [{ url: "https://example.org", events: [] }, "events"],
  [{ url: "https://example.org", events: ["submission.finished"], boards: [{ board: "a", target: "cpu" }] }, "boards"],
])("%j is rejected as a webhook: %s", (webhook, field) => {
  expect(NewWebhook.safeParse(webhook).error?.issues.map(({ path }) => path[0])).toEqual([field]);
});
