/** The endpoint for GitHub webhooks. Their processing is tested in flow.integration.test.ts. */
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "@kernelbot/server/src/db/database.ts";
import { storeDelivery } from "./deliveries.ts";
import { claimPull, releasePull } from "./queue.ts";
import type { Delivery } from "@kernelbot/testing/fake-github.ts";
import { openPullScene, submissionText, type PullScene } from "./testing/pull-scene.ts";

let scene: PullScene;
beforeAll(async () => {
  scene = await openPullScene();
});
beforeEach(() => scene.reset());
afterAll(() => scene[Symbol.asyncDispose]());

const opened = () => scene.github.open({ "submissions/model.json": submissionText() });
const stored = () => scene.testServer.database.sql`select id, done_at from kernelbench_pull_delivery order by sequence`;

/** Returns the delivery with another body, signed with GitHub's secret or another one. */
function signed({ headers }: Delivery, body: string, secret = scene.options.webhookSecret): Delivery {
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  return { headers: { ...headers, "x-hub-signature-256": `sha256=${signature}` }, body };
}

test("a delivery is stored once, before the response", async () => {
  const pull = opened();
  const delivery = pull.label("mia");
  expect([await scene.send(delivery), await scene.send(delivery)]).toEqual([202, 202]);
  expect(await stored()).toEqual([{ id: delivery.headers["x-github-delivery"], done_at: null }]);
  await scene.work();
  const requestsBefore = scene.github.requests.length;
  await scene.deliver(delivery);
  expect(await scene.models()).toHaveLength(1);
  expect(scene.github.requests).toHaveLength(requestsBefore);
});

test("rejects a missing or invalid signature", async () => {
  const delivery = opened().label("mia");
  const signature = delivery.headers["x-hub-signature-256"] ?? "";
  const forged = [
    signed(delivery, delivery.body, "another secret"),
    { ...delivery, body: `${delivery.body} ` },
    ...["", "sha256=", "sha256=00", signature.slice(7), signature.toUpperCase(), signature.replace("256", "1")].map(
      (header) => ({ ...delivery, headers: { ...delivery.headers, "x-hub-signature-256": header } }),
    ),
  ];
  for (const each of forged) expect(await scene.send(each)).toBe(401);
  const { "x-hub-signature-256": _, ...unsigned } = delivery.headers;
  expect(await scene.send({ ...delivery, headers: unsigned })).toBe(401);
  expect(await stored()).toEqual([]);
});

test("rejects a body above GitHub's limit before reading all of it", async () => {
  const delivery = opened().label("mia");
  expect(await scene.send(signed(delivery, " ".repeat(3_000_001)))).toBe(413);
});

test("rejects invalid JSON and invalid events with an explanation", async () => {
  const delivery = opened().label("mia");
  expect(await scene.send(signed(delivery, "{"))).toBe(400);
  expect(await scene.send(signed(delivery, '{"action":"labeled"}'))).toBe(422);
});

test("ignores other events and other repositories", async () => {
  const delivery = opened().label("mia");
  const ping = { ...delivery.headers, "x-github-event": "ping" };
  expect(await scene.send({ ...delivery, headers: ping })).toBe(202);
  expect(await scene.send(signed(delivery, delivery.body.replace("Lab/Kernels", "eve/kernels")))).toBe(202);
  expect(await stored()).toEqual([]);
});

test("one of two servers works on a pull request, and the other takes over after a crash", async () => {
  const { database } = scene.testServer;
  await scene.send(opened().label("mia"));
  const now = new Date();
  expect(await claimPull(database, now)).toBeDefined();
  expect(await claimPull(database, now)).toBeUndefined();
  expect(await claimPull(database, new Date(now.getTime() + 3_600_000))).toBeDefined();
});

test("a delivery that arrives during the work on a pull request is processed afterwards", async () => {
  const { database } = scene.testServer;
  const pull = opened();
  await scene.deliver(pull.label("mia"));
  await scene.send(pull.close());
  const now = new Date();
  const claimed = await claimPull(database, now);
  const url = (database as typeof database & { url: string }).url;
  await using other = await openDatabase({ url }).then((db) =>
    Object.assign(db, { [Symbol.asyncDispose]: () => db.close() }),
  );
  const payload = {
    repository: "lab/kernels",
    number: pull.number,
    installationId: 5,
    author: "a",
    headSha: pull.head,
  };
  const event = { type: "reopened", sha: pull.head } as const;
  await storeDelivery(other, "meanwhile", { pull: payload, event }, now);
  if (claimed !== undefined) await releasePull(database, claimed, null, now);
  expect(await claimPull(database, now)).toBeDefined();
});
