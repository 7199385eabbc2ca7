import { expect, test } from "vitest";
import { NEXT_VERDICTS, VERDICTS } from "@kernelbot/core";
import { readBoard } from "../boards/boards.ts";
import { STRANGER } from "../auth/visibility.ts";
import { readReceipt } from "../runs/receipts.ts";
import { readEvents, readSubmission } from "../submissions/views.ts";
import {
  claimed,
  failing,
  MACHINE,
  passing,
  person,
  ranked,
  reported,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import { acceptRun, rejectRun } from "./decide.ts";
import { flagRun, reportRun } from "./flag.ts";
import { moderationQueue } from "./quarantine.ts";

useScene();

async function names(): Promise<string[]> {
  return (await readBoard(database, STRANGER, "double", "cpu")).rows.map((row) => row.account.name);
}

async function runOf(submissionId: number) {
  const submission = await readSubmission(database, submissionId);
  return submission?.runs[0] as NonNullable<typeof submission>["runs"][number];
}

const MEASURED = {
  ...MACHINE,
  cpu: { ...MACHINE.cpu, measured: { memoryBytesPerS: 5e9, operationsPerS: 1e9 } },
};

/** Reports a ranked run that moves 1 MB in 100 ns on a machine with a memory bandwidth of 10 bytes per nanosecond. */
async function belowSpeedOfLight(): Promise<number> {
  const id = await submitted(database, ann, { mode: "ranked" });
  const run = await claimed(database, box, "cpu", { machine: MEASURED });
  const events = passing("ranked").map((event) =>
    event.type === "case_finished" && event.stage === "ranked" ? { ...event, bytes: 1e6, outputBytes: 0 } : event,
  );
  await reported(database, box, run, events);
  return id;
}

test("a run below the speed-of-light bound is quarantined with its evidence; accepting it ranks it with its stored score and receipt", async () => {
  const id = await belowSpeedOfLight();
  const { id: runId } = await runOf(id);
  const { items } = await moderationQueue(database);
  expect(items).toMatchObject([
    {
      runId,
      submissionId: id,
      board: "double",
      target: "cpu",
      verdict: "quarantined",
      flags: [{ check: "speed_of_light", by: null }],
    },
  ]);
  expect(items[0]?.flags[0]?.message).toMatch(/speed-of-light bound/);
  await acceptRun(
    database,
    root,
    runId,
    { reason: "the bound was measured on a busy machine" },
    await testSigner(database),
  );
  expect((await readBoard(database, STRANGER, "double", "cpu")).rows).toMatchObject([
    { submissionId: id, timeNs: { value: 100 } },
  ]);
  expect(await runOf(id)).toMatchObject({
    verdict: "passed",
    message: "accepted by a moderator: the bound was measured on a busy machine",
  });
  expect((await readReceipt(database, STRANGER, runId))?.receipt.score.timeNs.value).toBe(100);
  expect((await moderationQueue(database)).items).toEqual([]);
  expect((await readEvents(database, id, 0, 99)).at(-1)?.event).toEqual({
    type: "run_decided",
    act: "accept",
    verdict: "passed",
    failureClass: null,
    reason: "the bound was measured on a busy machine",
  });
});

test("a rejected run fails with the public reason and is on no board", async () => {
  const id = await belowSpeedOfLight();
  const { id: runId } = await runOf(id);
  await rejectRun(database, root, runId, { reason: "it skips the work" });
  expect(await runOf(id)).toMatchObject({
    verdict: "failed",
    failureClass: "rejected",
    message: "rejected by a moderator: it skips the work",
  });
  expect(await names()).toEqual([]);
  const again = acceptRun(database, root, runId, { reason: "or not" }, await testSigner(database));
  await expect(again).rejects.toMatchObject({
    code: "conflict",
    message: `run ${runId} (failed: rejected) has no open flags; flag it first`,
  });
});

test("a run without a computable score cannot be accepted, with an explanation, but can be rejected", async () => {
  const id = await ranked(database, ann, box, 0);
  const { id: runId } = await runOf(id);
  expect((await moderationQueue(database)).items).toMatchObject([{ runId, flags: [{ check: "no_score" }] }]);
  const accepted = acceptRun(database, root, runId, { reason: "why not" }, await testSigner(database));
  await expect(accepted).rejects.toThrow(
    /cannot be ranked, since the score cannot be computed from its samples: .*; it can be rejected/,
  );
  expect((await moderationQueue(database)).items).toHaveLength(1);
  await rejectRun(database, root, runId, { reason: "its clock lies" });
  expect(await runOf(id)).toMatchObject({ verdict: "failed", failureClass: "rejected" });
});

test("flagging a passed run removes it from its board until it is accepted, with an unchanged receipt", async () => {
  const id = await ranked(database, ann, box, 100);
  await ranked(database, bob, box, 200);
  const { id: runId } = await runOf(id);
  const before = await readReceipt(database, STRANGER, runId);
  await flagRun(database, root, runId, "too fast to be true");
  expect(await names()).toEqual(["bob"]);
  expect(await readReceipt(database, STRANGER, runId)).toBeNull();
  expect(await runOf(id)).toMatchObject({
    verdict: "quarantined",
    score: null,
    message: "too fast to be true",
  });
  await acceptRun(database, root, runId, { reason: "it is true" }, await testSigner(database));
  expect(await names()).toEqual(["ann", "bob"]);
  expect(await readReceipt(database, STRANGER, runId)).toEqual(before);
});

test("a participant's report changes nothing until a decision, which closes it", async () => {
  const id = await ranked(database, ann, box, 100);
  const { id: runId } = await runOf(id);
  await reportRun(database, bob, runId, "a copy of mine");
  await reportRun(database, bob, runId, "a copy of submission 7");
  expect(await names()).toEqual(["ann"]);
  expect((await moderationQueue(database)).items).toMatchObject([
    { runId, verdict: "passed", flags: [{ check: "report", by: bob.account, message: "a copy of submission 7" }] },
  ]);
  await acceptRun(database, root, runId, { reason: "it is not" }, await testSigner(database));
  expect(await runOf(id)).toMatchObject({ verdict: "passed", message: null });
  await reportRun(database, bob, runId, "it is!");
  await rejectRun(database, root, runId, { reason: "indeed" });
  expect(await names()).toEqual([]);
  expect((await moderationQueue(database)).items).toEqual([]);
});

test("limits the number of open reports per account, also of concurrent ones", async () => {
  const runs: number[] = [];
  for (let n = 0; n < 22; n += 1) runs.push((await runOf(await ranked(database, ann, box, 100 + n))).id);
  const report = (id: number) => reportRun(database, bob, id, "spam");
  for (const id of runs.slice(0, 18)) await report(id);
  const reported = await Promise.allSettled(runs.slice(18).map(report));
  expect(reported.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  const refused = runs.filter((_, at) => reported[at - 18]?.status === "rejected");
  await expect(report(refused[0] as number)).rejects.toMatchObject({ code: "too_many_requests" });
});

test("only passed ranked runs can be flagged or reported, and only moderators flag and decide", async () => {
  const test = await submitted(database, ann);
  await reported(database, box, await claimed(database, box), passing("test"));
  const failed = await submitted(database, ann, { mode: "ranked" });
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  for (const id of [test, failed]) {
    const { id: runId } = await runOf(id);
    await expect(flagRun(database, root, runId, "x")).rejects.toMatchObject({ code: "conflict" });
    await expect(reportRun(database, bob, runId, "x")).rejects.toMatchObject({ code: "not_found" });
    await expect(rejectRun(database, root, runId, { reason: "x" })).rejects.toMatchObject({ code: "conflict" });
  }
  const { id } = await runOf(await ranked(database, ann, box, 100));
  await expect(flagRun(database, bob, id, "x")).rejects.toMatchObject({ code: "forbidden" });
  await expect(rejectRun(database, ann, id, { reason: "x" })).rejects.toMatchObject({ code: "forbidden" });
  await expect(flagRun(database, root, 999, "x")).rejects.toMatchObject({ code: "not_found" });
});

test("the database allows exactly the verdict changes of the state table", async () => {
  const change = async (from: string, to: string): Promise<boolean> => {
    const id = await ranked(database, await person(database, `${from} to ${to}`), box, 100);
    const { id: runId } = await runOf(id);
    const failure = (verdict: string) => (verdict === "failed" ? "rejected" : null);
    const set = (verdict: string) => database.sql`
      update run set verdict = ${verdict}, failure_class = ${failure(verdict)},
        time_ns = ${verdict === "passed" ? 1 : null}, time_low_ns = ${verdict === "passed" ? 1 : null},
        time_high_ns = ${verdict === "passed" ? 1 : null}, speedup = null, speedup_low = null, speedup_high = null,
        case_times_ns = null, speed_of_light_share = null,
        ranked_by = null, ranked_value = null, ranked_low = null, ranked_high = null
      where id = ${runId}`;
    await database.sql`alter table run disable trigger run_verdict`;
    await set(from);
    await database.sql`alter table run enable trigger run_verdict`;
    if (from === "failed") {
      await database.sql`insert into decision (decided_by, act, account_id, run_id, reason)
        select ${root.account.id}, 'reject', account_id, id, 'x' from run where id = ${runId}`;
    }
    return set(to).then(
      () => true,
      () => false,
    );
  };
  for (const from of VERDICTS) {
    for (const to of VERDICTS.filter((verdict) => verdict !== from)) {
      expect([from, to, await change(from, to)]).toEqual([from, to, NEXT_VERDICTS[from].some((next) => next === to)]);
    }
  }
});

test("a judge's failure cannot be decided, nor changed by a decision", async () => {
  await submitted(database, ann, { mode: "ranked" });
  const run = await claimed(database, box);
  await reported(database, box, run, failing("rejected"));
  const change = database.sql`update run set verdict = 'passed', failure_class = null, time_ns = 1, time_low_ns = 1,
    time_high_ns = 1 where id = ${run.runId}`;
  await expect(change).rejects.toThrow(/cannot become passed/);
});
