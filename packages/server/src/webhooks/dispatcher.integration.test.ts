import { afterEach, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../db/database.ts";
import { ban, unban } from "../moderation/ban.ts";
import { claimed, passing, ranked, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { openReceiver, type Receiver } from "@kernelbot/testing/receiver.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { claim } from "./dispatcher.ts";
import { deleteOldDeliveries, MAX_DELIVERIES } from "./deliveries.ts";
import { listDeliveries, redeliver } from "./log.ts";
import { emptyOutbox } from "./outbox.ts";
import { GIVE_UP_MS, PAUSE_AFTER } from "./backoff.ts";
import { delivered, hooked, opened, testClock } from "@kernelbot/testing/webhooks.ts";
import { deleteWebhook, listWebhooks, pauseWebhook, resumeWebhook, testWebhook } from "./webhooks.ts";

useScene();

const HOUR_MS = 3_600_000;

let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver[Symbol.asyncDispose]());

/** Creates a finished submission by ann. */
async function finished(): Promise<number> {
  const id = await submitted(database, ann);
  await reported(database, box, await claimed(database, box), passing("test"));
  return id;
}

const log = async (id: number) => listDeliveries(database, ann, id, { limit: 200 });
const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as { type: string; sequence: number });

test("a finished submission is delivered, signed, only to its owner's webhook", async () => {
  const hook = await hooked(database, ann, receiver);
  await hooked(database, bob, { url: `${receiver.url}/bob` });
  const submissionId = await ranked(database, ann, box, 100);
  await delivered(database);
  expect(receiver.received).toHaveLength(1);
  expect(await opened(hook, receiver.received[0])).toMatchObject({
    type: "submission.finished",
    sequence: 1,
    data: {
      submissionId,
      account: ann.account,
      board: "double",
      mode: "ranked",
      runs: [{ target: "cpu", state: "done", verdict: "passed", failureClass: null, timeNs: 100 }],
    },
  });
  expect(receiver.received[0]?.headers).toMatchObject({ "content-type": "application/json" });
  expect(await log(hook.webhook.id)).toMatchObject([
    { sequence: 1, state: "delivered", tries: 1, nextTryAt: null, lastTry: { status: 204, answer: "", error: null } },
  ]);
});

test("an unfinished submission is not delivered, a cancelled one is", async () => {
  const hook = await hooked(database, ann, receiver);
  await submitted(database, ann, { targets: ["cpu", "H100"] });
  await reported(database, box, await claimed(database, box), passing("test"));
  await delivered(database);
  expect(receiver.received).toEqual([]);
  await reported(database, box, await claimed(database, box, "H100"), passing("test"));
  await delivered(database);
  expect(await opened(hook, receiver.received[0])).toMatchObject({ data: { runs: [{}, {}] } });
});

test("a failed delivery is retried with the same id, and later ones wait for the webhook's backoff", async () => {
  const clock = testClock();
  const hook = await hooked(database, ann, receiver);
  receiver.answer((response) => response.writeHead(500).end("down"));
  await finished();
  await delivered(database, { clock });
  expect(await log(hook.webhook.id)).toMatchObject([
    {
      state: "pending",
      tries: 1,
      lastTry: { status: 500, answer: "down", error: "the receiver responded with 500; expected 200 to 299" },
    },
  ]);
  receiver.answer((response) => response.writeHead(200).end());
  await finished();
  await delivered(database, { clock });
  expect(receiver.received).toHaveLength(1);
  clock.pass(HOUR_MS);
  await delivered(database, { clock });
  expect(bodies().map(({ sequence }) => sequence)).toEqual([1, 1, 2]);
  const [first, again] = receiver.received;
  expect(again?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
  expect(again?.body).toBe(first?.body);
  // The signature has the current time, so that receivers may reject old ones.
  await opened(hook, again, clock);
  expect(await log(hook.webhook.id)).toMatchObject([{ state: "delivered" }, { state: "delivered", tries: 2 }]);
});

test("a hanging receiver times out and is retried later", async () => {
  const clock = testClock();
  const hook = await hooked(database, ann, receiver);
  receiver.answer(() => undefined);
  await finished();
  await delivered(database, { clock, timeoutMs: 50 });
  expect(await log(hook.webhook.id)).toMatchObject([
    { state: "pending", lastTry: { status: null, error: "no complete response within 0.05 s" } },
  ]);
  receiver.answer((response) => response.writeHead(204).end());
  clock.pass(HOUR_MS);
  await delivered(database, { clock });
  expect(await log(hook.webhook.id)).toMatchObject([{ state: "delivered", tries: 2 }]);
});

test("a delivery fails permanently after a day", async () => {
  const clock = testClock();
  const hook = await hooked(database, ann, receiver);
  receiver.answer((response) => response.writeHead(503).end());
  await finished();
  for (let hours = 0; hours < 30; hours += 6) {
    await delivered(database, { clock });
    clock.pass(6 * HOUR_MS);
  }
  expect(await log(hook.webhook.id)).toMatchObject([{ state: "failed", nextTryAt: null }]);
  const tries = receiver.received.length;
  clock.pass(GIVE_UP_MS);
  await delivered(database, { clock });
  expect(receiver.received).toHaveLength(tries);
});

test("consecutive failures mark a webhook as failing, then pause it; resuming continues", async () => {
  const clock = testClock();
  const { webhook } = await hooked(database, ann, receiver);
  receiver.answer((response) => response.writeHead(500).end());
  const failsOnce = async () => {
    await testWebhook(database, ann, webhook.id);
    await delivered(database, { clock });
    clock.pass(HOUR_MS);
    return (await listWebhooks(database, ann))[0]?.state;
  };
  expect([await failsOnce(), await failsOnce(), await failsOnce()]).toEqual(["active", "active", "failing"]);
  await database.sql`update webhook set failures = ${PAUSE_AFTER - 2}`;
  expect([await failsOnce(), await failsOnce()]).toEqual(["failing", "paused"]);
  await expect(testWebhook(database, ann, webhook.id)).rejects.toThrow("the last 50 tries failed");
  await delivered(database, { clock });
  expect(receiver.received).toHaveLength(5);
  receiver.answer((response) => response.writeHead(204).end());
  expect(await resumeWebhook(database, ann, webhook.id)).toMatchObject({ state: "active", failures: 0 });
  await delivered(database, { clock });
  expect((await log(webhook.id)).map(({ state }) => state)).toEqual(Array(5).fill("delivered"));
});

test("a crash between an event and its delivery loses nothing", async () => {
  await hooked(database, ann, receiver);
  await finished();
  // Simulates a server that stores and leases the delivery, and then ends.
  const dying = await openDatabase({ url: database.url });
  await emptyOutbox(dying, new Date());
  expect(await claim(dying, new Date())).toMatchObject({ tries: 1 });
  await dying.close();
  const clock = testClock();
  await delivered(database, { clock });
  expect(receiver.received).toEqual([]);
  clock.pass(60_000);
  await delivered(database, { clock });
  expect(bodies()).toMatchObject([{ sequence: 1 }]);
});

test("two servers send each delivery once, one at a time and in order", async () => {
  await using other = await openDatabase({ url: database.url }).then((opened) =>
    Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() }),
  );
  const { webhook } = await hooked(database, ann, receiver);
  let open = 0;
  let most = 0;
  receiver.answer((response) => {
    most = Math.max(most, (open += 1));
    setImmediate(() => {
      open -= 1;
      response.writeHead(204).end();
    });
  });
  for (let n = 0; n < 10; n += 1) await testWebhook(database, ann, webhook.id);
  await finished();
  await Promise.all([delivered(database), delivered(other)]);
  await delivered(database);
  expect(bodies().map(({ sequence }) => sequence)).toEqual(Array.from({ length: 11 }, (_, index) => index + 1));
  expect(most).toBe(1);
});

test("a banned account's webhooks send nothing, and events during the ban are never delivered", async () => {
  const { webhook } = await hooked(database, ann, receiver);
  await testWebhook(database, ann, webhook.id);
  await submitted(database, ann);
  await ban(database, root, { account: "ann", reason: "spam" });
  await delivered(database);
  expect(receiver.received).toEqual([]);
  await unban(database, root, { account: "ann", reason: "paid" });
  await delivered(database);
  expect(bodies().map(({ type }) => type)).toEqual(["webhook.test"]);
});

test("a paused webhook sends nothing, and a deleted one is removed with its log", async () => {
  const { webhook } = await hooked(database, ann, receiver);
  await pauseWebhook(database, ann, webhook.id);
  await finished();
  await delivered(database);
  await resumeWebhook(database, ann, webhook.id);
  await delivered(database);
  expect(receiver.received).toEqual([]);
  await testWebhook(database, ann, webhook.id);
  await deleteWebhook(database, ann, webhook.id);
  await delivered(database);
  expect(receiver.received).toEqual([]);
  await expect(log(webhook.id)).rejects.toMatchObject({ code: "not_found" });
});

test("the owner can redeliver a delivery with the same id", async () => {
  const { webhook } = await hooked(database, ann, receiver);
  await finished();
  await delivered(database);
  const [{ id } = { id: "" }] = await log(webhook.id);
  await redeliver(database, ann, webhook.id, id);
  await delivered(database);
  expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([id, id]);
  await expect(redeliver(database, bob, webhook.id, id)).rejects.toMatchObject({ code: "not_found" });
  await expect(redeliver(database, ann, webhook.id, `msg_${"0".repeat(32)}`)).rejects.toThrow("has no delivery");
});

test("the log keeps the latest deliveries and deletes those that finished a month ago", async () => {
  const { webhook } = await hooked(database, ann, receiver);
  await database.sql`update webhook set last_sequence = ${MAX_DELIVERIES}`;
  await testWebhook(database, ann, webhook.id);
  await delivered(database);
  await database.sql`update webhook set last_sequence = ${2 * MAX_DELIVERIES}`;
  await testWebhook(database, ann, webhook.id);
  expect((await log(webhook.id)).map(({ sequence }) => sequence)).toEqual([2 * MAX_DELIVERIES + 1]);
  await delivered(database);
  expect(await deleteOldDeliveries(database.db, new Date())).toBe(0);
  expect(await deleteOldDeliveries(database.db, new Date(Date.now() + 31 * 24 * HOUR_MS))).toBe(1);
});
