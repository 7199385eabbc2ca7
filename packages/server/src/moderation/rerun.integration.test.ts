import { expect, test } from "vitest";
import { MAX_ATTEMPTS } from "@kernelbot/core";
import { readBoard } from "../boards/boards.ts";
import { STRANGER } from "../auth/visibility.ts";
import { cancelSubmission } from "../submissions/cancel.ts";
import { readReceipt } from "../runs/receipts.ts";
import { readEvents, readSubmission } from "../submissions/views.ts";
import {
  claimed,
  failing,
  JUDGE_FAILED,
  passing,
  ranked,
  reported,
  rounds,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import { acceptRun } from "./decide.ts";
import { flagRun } from "./flag.ts";
import { moderationQueue } from "./quarantine.ts";
import { removeAny } from "./remove.ts";
import { confirmTop, rerunBoard, rerunSubmission } from "./rerun.ts";

useScene();

/** Returns the rows of the board as rank, name, time and verification status. */
async function rows(target = "cpu") {
  const board = await readBoard(database, STRANGER, "double", target);
  return board.rows.map((row) => [row.rank, row.account.name, row.timeNs.value, row.verification]);
}

/** Judges the queued re-run with this time in both cases and returns its id. */
async function passedAgain(timeNs: number, target = "cpu"): Promise<number> {
  const run = await claimed(database, box, target);
  await reported(database, box, run, passing("ranked", [timeNs, timeNs]));
  return run.runId;
}

/** Events of a re-run in which both kernel and reference take 1.9 times as long as before. */
const ON_BUSY_MACHINE = passing("ranked", [1173, 1173]).map((event) =>
  event.type === "case_finished" && event.rounds.length > 0 ? { ...event, rounds: rounds(1173, 1900) } : event,
);

test("an entry is provisional until its re-run, whose time then ranks; both are in the response", async () => {
  const id = await ranked(database, ann, box, 100);
  await ranked(database, bob, box, 110);
  expect(await rows()).toEqual([
    [1, "ann", 100, "provisional"],
    [2, "bob", 110, "provisional"],
  ]);
  const [again] = await rerunSubmission(database, root, id);
  expect(await rows()).toContainEqual([1, "ann", 100, "provisional"]);
  await passedAgain(120);
  expect(await rows()).toEqual([
    [1, "bob", 110, "provisional"],
    [2, "ann", 120, "confirmed"],
  ]);
  const row = (await readBoard(database, STRANGER, "double", "cpu")).rows[1];
  expect(row).toMatchObject({ runId: again, enteredBy: { timeNs: { value: 100 } } });
  expect((await readSubmission(database, id))?.runs.map((run) => [run.rerun, run.score?.timeNs.value])).toEqual([
    [0, 100],
    [1, 120],
  ]);
  expect((await readReceipt(database, STRANGER, again as number))?.receipt).toMatchObject({ runId: again });
});

test("a noisy re-run neither confirms an entry nor replaces its time", async () => {
  const target = "H100";
  const id = await ranked(database, ann, box, 617, { targets: [target] });
  await rerunSubmission(database, root, id);
  const again = await passedAgain(1173, target);
  await database.sql`update run set noisy = true where id = ${again}`;
  expect(await rows(target)).toEqual([[1, "ann", 617, "provisional"]]);
  // Automatic confirmation tries again, but not immediately.
  expect(await confirmTop(database, 1)).toEqual([]);
  await database.sql`update run set created_at = created_at - interval '11 minutes' where rerun > 0`;
  expect(await confirmTop(database, 1)).toHaveLength(1);
  await passedAgain(620, target);
  expect(await rows(target)).toEqual([[1, "ann", 620, "confirmed"]]);
});

test("a re-run on a busy CPU, where the reference is slower too, confirms an entry with the speedup of the re-run", async () => {
  await rerunSubmission(database, root, await ranked(database, ann, box, 617));
  await ranked(database, bob, box, 650);
  await reported(database, box, await claimed(database, box), ON_BUSY_MACHINE);
  // The entry of bob has the shorter time and the lower speedup.
  expect(await rows()).toEqual([
    [1, "ann", 1173, "confirmed"],
    [2, "bob", 650, "provisional"],
  ]);
  const [row] = (await readBoard(database, STRANGER, "double", "cpu")).rows;
  expect(row).toMatchObject({ rankedBy: { value: 1900 / 1173 }, enteredBy: { timeNs: { value: 617 } } });
});

test("a slower re-run on an equally fast machine replaces the entry's result", async () => {
  await rerunSubmission(database, root, await ranked(database, ann, box, 617));
  await passedAgain(1173);
  expect(await rows()).toEqual([[1, "ann", 1173, "confirmed"]]);
});

test("where time ranks, a slower re-run replaces the result of its own entry only, until the next re-run", async () => {
  const target = "H100";
  const fast = await ranked(database, ann, box, 100, { targets: [target] });
  await ranked(database, ann, box, 130, { targets: [target] });
  const runAgain = async (timeNs: number): Promise<void> => {
    await rerunSubmission(database, root, fast);
    await passedAgain(timeNs, target);
  };
  await runAgain(150);
  expect(await rows(target)).toEqual([[1, "ann", 130, "provisional"]]);
  await runAgain(101);
  expect(await rows(target)).toEqual([[1, "ann", 101, "confirmed"]]);
});

test("a re-run that is not noisy replaces the result of a noisy entry", async () => {
  const id = await ranked(database, ann, box, 100);
  await database.sql`update run set noisy = true where submission_id = ${id}`;
  await ranked(database, ann, box, 200);
  await rerunSubmission(database, root, id);
  await passedAgain(110);
  expect(await rows()).toEqual([[1, "ann", 110, "confirmed"]]);
});

test("a re-run has its own seed", async () => {
  const id = await submitted(database, ann, { mode: "ranked" });
  const first = await claimed(database, box);
  await reported(database, box, first, passing("ranked"));
  await rerunSubmission(database, root, id);
  expect((await claimed(database, box)).seed).not.toBe(first.seed);
});

test("a better submission is provisional again, and a worse one changes nothing", async () => {
  await rerunSubmission(database, root, await ranked(database, ann, box, 100));
  await passedAgain(105);
  await ranked(database, ann, box, 110);
  expect(await rows()).toEqual([[1, "ann", 105, "confirmed"]]);
  await ranked(database, ann, box, 90);
  expect(await rows()).toEqual([[1, "ann", 90, "provisional"]]);
});

test("a failed re-run quarantines the entry, with the re-run as evidence", async () => {
  const slow = await ranked(database, ann, box, 300);
  const fast = await ranked(database, ann, box, 100);
  const entry = (await readSubmission(database, fast))?.runs[0]?.id as number;
  const [again] = await rerunSubmission(database, root, fast);
  await reported(database, box, await claimed(database, box), failing("wrong_result", "case 2 is wrong"));
  expect((await readBoard(database, STRANGER, "double", "cpu")).rows.map((row) => row.submissionId)).toEqual([slow]);
  expect((await moderationQueue(database)).items).toMatchObject([
    {
      runId: entry,
      submissionId: fast,
      verdict: "quarantined",
      flags: [
        {
          check: "rerun",
          evidenceRunId: again,
          message: "the re-run with new seeds did not pass: failed: wrong result: case 2 is wrong",
        },
      ],
    },
  ]);
  expect((await readEvents(database, fast, 0, 99)).map(({ event }) => event.type).slice(-3)).toEqual([
    "run_finished",
    "run_flagged",
    "submission_finished",
  ]);
  await acceptRun(database, root, entry, { reason: "the machine was broken" }, await testSigner(database));
  expect(await rows()).toEqual([[1, "ann", 100, "provisional"]]);
});

test("a re-run without a computable score is evidence against its entry, not a separate item", async () => {
  await rerunSubmission(database, root, await ranked(database, ann, box, 100));
  await passedAgain(0);
  expect(await rows()).toEqual([]);
  expect((await moderationQueue(database)).items).toMatchObject([{ flags: [{ check: "rerun" }] }]);
});

test("an infrastructure failure of a re-run is retried and does not affect the entry", async () => {
  await rerunSubmission(database, root, await ranked(database, ann, box, 100));
  for (let n = 0; n < MAX_ATTEMPTS; n += 1) await reported(database, box, await claimed(database, box), JUDGE_FAILED);
  expect(await rows()).toEqual([[1, "ann", 100, "provisional"]]);
  expect((await moderationQueue(database)).items).toEqual([]);
});

test("flagging a re-run flags its entry", async () => {
  const [again] = await rerunSubmission(database, root, await ranked(database, ann, box, 100));
  await passedAgain(105);
  await flagRun(database, root, again as number, "odd");
  expect(await rows()).toEqual([]);
});

test("re-runs the first or all entries of a board; entries being re-run are not queued twice", async () => {
  await ranked(database, ann, box, 100);
  await ranked(database, bob, box, 200);
  await ranked(database, root, box, 300);
  const board = { board: "double", target: "cpu" };
  expect(await rerunBoard(database, root, { ...board, top: 2 })).toHaveLength(2);
  expect(await rerunBoard(database, root, { ...board, top: null })).toHaveLength(1);
  await expect(rerunBoard(database, root, { ...board, board: "single", top: 1 })).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(rerunBoard(database, ann, { ...board, top: 1 })).rejects.toMatchObject({ code: "forbidden" });
  const acts = await database.db.selectFrom("audit").select("act").execute();
  expect(acts.map(({ act }) => act)).toEqual(["rerun", "rerun", "rerun"]);
});

test("the job confirms the first entries of each board once, and what comes to be among them later", async () => {
  await ranked(database, ann, box, 100);
  await ranked(database, bob, box, 200);
  await ranked(database, bob, box, 100, { targets: ["H100"] });
  expect(await confirmTop(database, 1)).toHaveLength(2);
  expect(await confirmTop(database, 1)).toEqual([]);
  await passedAgain(100);
  await ranked(database, root, box, 50);
  expect(await confirmTop(database, 1)).toHaveLength(1);
  expect((await Promise.all([confirmTop(database, 3), confirmTop(database, 3)])).flat()).toHaveLength(1);
});

test("a re-run waits for at most eight ranked runs of each account, and does not delay its own account", async () => {
  await rerunSubmission(database, root, await ranked(database, ann, box, 100));
  for (let n = 0; n < 10; n += 1) await submitted(database, bob, { mode: "ranked" });
  const own = await submitted(database, ann, { mode: "ranked" });
  const reruns: boolean[] = [];
  for (let n = 0; n < 12; n += 1) {
    const { runId } = await claimed(database, box);
    const run = await database.db.selectFrom("run").select("rerun").where("id", "=", runId).executeTakeFirstOrThrow();
    reruns.push(run.rerun > 0);
    if (n === 2) expect((await readSubmission(database, own))?.runs[0]?.state).toBe("running");
  }
  expect(reruns.indexOf(true)).toBeGreaterThanOrEqual(8);
});

test("an owner cannot cancel a re-run; removing the submission does", async () => {
  const id = await ranked(database, ann, box, 100);
  await rerunSubmission(database, root, id);
  expect(await cancelSubmission(database, ann, id)).toBe(0);
  await removeAny(database, root, id, { reason: "a copy" });
  expect((await readSubmission(database, id))?.runs[1]?.state).toBe("cancelled");
});

test("failed runs are not re-run", async () => {
  const id = await submitted(database, ann, { mode: "ranked" });
  await reported(database, box, await claimed(database, box), failing("wrong_result"));
  await expect(rerunSubmission(database, root, id)).rejects.toMatchObject({ code: "conflict" });
  await expect(rerunSubmission(database, root, 999)).rejects.toMatchObject({ code: "not_found" });
  await expect(rerunSubmission(database, ann, id)).rejects.toMatchObject({ code: "forbidden" });
});
