/** Requests and output of `kernelbot webhooks`, against a fake server. */
import { expect, test } from "vitest";
import type { Webhook, WebhookDelivery } from "@kernelbot/core";
import { startFakeServer } from "@kernelbot/testing/cli/fake-server.ts";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { AT, run, worldOf } from "@kernelbot/testing/cli/samples.ts";

const HOOK: Webhook = {
  id: 3,
  url: "https://example.org/hook",
  events: ["submission.finished"],
  boards: [{ board: "vectoradd", target: "cpu" }],
  competition: null,
  state: "active",
  pauseReason: null,
  failures: 0,
  createdAt: AT,
};
const ID = `msg_${"0a".repeat(16)}`;
const DELIVERY: WebhookDelivery = {
  id: ID,
  sequence: 7,
  event: "submission.finished",
  state: "pending",
  createdAt: AT,
  tries: 2,
  nextTryAt: AT,
  lastTry: { at: AT, status: 500, answer: "down", error: "it answered 500" },
};

/** Runs one command against a server that returns `answer` for the route. */
async function call(args: readonly string[], route: string, answer: unknown) {
  using place = workshop();
  await using server = await startFakeServer({ ...worldOf(run(), []), answers: { [route]: answer } });
  const { code, out, err } = await place.kernelbot(["webhooks", ...args], { server: server.url });
  return { code, out, err, requests: server.requests.map(({ method, path, body }) => [`${method} ${path}`, body]) };
}

test("add requests both events by default and prints the secret", async () => {
  const answer = { webhook: HOOK, secret: "whsec_AAAA" };
  const { code, out, requests } = await call(["add", HOOK.url, "-b", "vectoradd/cpu"], "POST /webhooks", answer);
  const body = { url: HOOK.url, events: ["submission.finished", "board.rank_changed"], boards: HOOK.boards };
  expect({ code, requests }).toEqual({ code: 0, requests: [["POST /webhooks", { ...body, competition: null }]] });
  expect(out).toContain("\n  whsec_AAAA\n");
});

test.each([
  [
    ["list"],
    "GET /webhooks",
    { webhooks: [HOOK] },
    /3 +https:\/\/example.org\/hook +submission.finished +vectoradd\/cpu +active/,
  ],
  [
    ["log", "3"],
    "GET /webhooks/3/deliveries?limit=20",
    { deliveries: [DELIVERY] },
    /7 +msg_0a.* +pending +2 .*it answered/,
  ],
  [["test", "3"], "POST /webhooks/3/test", HOOK, /kernelbot webhooks log 3/],
  [["pause", "3"], "POST /webhooks/3/pause", HOOK, /Webhook 3 is paused/],
  [["resume", "3"], "POST /webhooks/3/resume", HOOK, /Webhook 3 is resumed/],
  [["delete", "3", "--yes"], "DELETE /webhooks/3", {}, /Webhook 3 is deleted/],
  [["redeliver", "3", ID], `POST /webhooks/3/deliveries/${ID}/redeliver`, DELIVERY, /Delivery msg_0a.* is queued/],
])("%j sends the request and prints its result", async (args, route, answer, printed) => {
  const { code, out, err, requests } = await call(args, route, answer);
  expect({ code, err, requests: requests.map(([what]) => what) }).toEqual({ code: 0, err: "", requests: [route] });
  expect(out).toMatch(printed);
});

test.each([
  [["add", "example.org"], /url: use an address such as/],
  [["add", HOOK.url, "-b", "vectoradd"], /--board must be NAME\/TARGET/],
  [["add", HOOK.url, "-e", "submission.began"], /events: /],
  [["pause", "x"], /is not the number of a webhook/],
  [["delete", "3"], /deleting cannot be undone; .*use --yes/],
])("%j is rejected before any request", async (args, message) => {
  const { code, err, requests } = await call(args, "", null);
  expect({ code, requests }).toEqual({ code: 2, requests: [] });
  expect(err).toMatch(message);
});
