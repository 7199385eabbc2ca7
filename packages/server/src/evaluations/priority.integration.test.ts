/** The order in which runs of evaluations are claimed, among each other and with those of submissions. */
import { expect, test } from "vitest";
import { EvaluationRequest, type EvaluationPriority } from "@kernelbot/core";
import type { Identity } from "../auth/identity.ts";
import { claimed, passing, reported, submitted } from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { getQueueOrder } from "../queue/order.ts";
import { sweepExpiredLeases } from "../queue/expired-leases.ts";
import { createBatch } from "./create.ts";
import { DEFAULT_EVALUATION_LIMITS as limits } from "./limits.ts";

useScene();

let sources = 0;

async function queue(who: Identity, priority: EvaluationPriority, count: number): Promise<void> {
  const requests = Array.from({ length: count }, () => {
    sources += 1;
    const code = `# ${who.account.name} ${priority}\nx = ${sources}\n`;
    return EvaluationRequest.parse({ problem: "double", target: "cpu", code, level: "test", priority });
  });
  await createBatch(database, who, requests, { limits });
}

/** Claims and passes the next run. @returns the account and priority in its source, or its source. */
async function next(): Promise<string> {
  const run = await claimed(database, box);
  await reported(database, box, run, passing(run.mode));
  return /^# (.*)/.exec(run.source)?.[1] ?? run.source;
}

async function take(count: number): Promise<string[]> {
  const taken = [];
  for (let index = 0; index < count; index += 1) taken.push(await next());
  return taken;
}

test("submissions go first, then interactive evaluations, then training, in whatever order they came", async () => {
  await queue(ann, "training", 2);
  await queue(bob, "interactive", 2);
  await submitted(database, ann, { source: "a submission\n" });
  expect(await take(5)).toEqual([
    "a submission\n",
    "bob interactive",
    "bob interactive",
    "ann training",
    "ann training",
  ]);
});

test("a submission that arrives while a thousand evaluations are queued is the next run, and its place is 1", async () => {
  await queue(ann, "training", 1000);
  await take(3);
  const id = await submitted(database, bob, { source: "late\n" });
  const [run] = await database.sql<{ id: number }>`select id from run where submission_id = ${id}`;
  expect((await getQueueOrder(database, "cpu")).positions.get(run?.id ?? 0)?.position).toBe(1);
  expect(await next()).toBe("late\n");
});

test("training and backfill share the runners 16 to 1, so that neither starves", async () => {
  await queue(ann, "training", 60);
  await queue(bob, "backfill", 5);
  const taken = await take(51);
  expect(taken.filter((each) => each === "bob backfill")).toHaveLength(3);
});

test("accounts share a lane evenly, and one that arrives late does not wait for what others had before", async () => {
  await queue(ann, "training", 30);
  await take(10);
  await queue(bob, "training", 10);
  const taken = await take(10);
  expect(taken.filter((each) => each === "bob training").length).toBeGreaterThanOrEqual(5);
});

test("the listed order is the order of the claims", async () => {
  await queue(ann, "backfill", 3);
  await queue(ann, "training", 3);
  await queue(bob, "training", 3);
  await queue(bob, "interactive", 1);
  await submitted(database, ann);
  const rows = await database.sql<{
    run_id: number;
  }>`select run_id from queue_order('cpu', 3::smallint) order by place`;
  const listed = rows.map((row) => row.run_id);
  expect(listed).toHaveLength(11);
  const order = [];
  for (const _ of listed) {
    const run = await claimed(database, box);
    order.push(run.runId);
    await reported(database, box, run, passing(run.mode));
  }
  expect(order).toEqual(listed);
  expect([...(await getQueueOrder(database, "cpu")).positions]).toEqual([]);
});

test("an interrupted run of an evaluation returns to its lane and does not overtake submissions", async () => {
  await queue(ann, "training", 2);
  const run = await claimed(database, box, "cpu", { leaseMs: 1 });
  await submitted(database, bob, { source: "a submission\n" });
  await expect.poll(() => sweepExpiredLeases(database)).toBe(1);
  expect(await next()).toBe("a submission\n");
  expect((await claimed(database, box)).runId).toBe(run.runId);
});
