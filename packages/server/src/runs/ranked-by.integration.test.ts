/** Boards that rank by SOL score or fraction of peak: the order, what is stored, and the receipt. */
import { beforeEach, expect, test } from "vitest";
import { checkReceipt, type Machine } from "@kernelbot/core";
import type { Identity } from "../auth/identity.ts";
import { STRANGER } from "../auth/visibility.ts";
import { readBoard } from "../boards/boards.ts";
import { readHistory } from "../boards/history.ts";
import { listBoards } from "../boards/list.ts";
import { readPerson } from "../people/profile.ts";
import { syncProblems } from "../problems/sync.ts";
import { readSubmission } from "../submissions/views.ts";
import {
  claimed,
  MACHINE,
  passing,
  problemFiles,
  problemTree,
  reported,
  rounds,
  submitted,
} from "@kernelbot/testing/fixtures.ts";
import { ann, bob, box, database, useScene } from "@kernelbot/testing/scene.ts";
import { readReceipt } from "./receipts.ts";
import { listKeys } from "./signer.ts";

useScene();

const BOUNDS = "{ cpu: { speed_of_light_us: [0.2, 0.2] }, H100: { speed_of_light_us: [0.2, 0.2] } }";
const DECLARED = problemFiles((task) =>
  task.replace("ranking_by: mean", "ranking_by: sol_score").replace(/targets: .*/, `targets: ${BOUNDS}`),
);

beforeEach(async () => {
  await syncProblems(database, problemTree({ "set/double": DECLARED, "set/triple": problemFiles() }));
});

interface Timed {
  target?: "cpu" | "H100";
  referenceNs?: number;
  machine?: Machine;
  bytes?: number;
}

/** Reports a ranked run with these times of its two cases. Returns the ids of submission and run. */
async function timed(who: Identity, timesNs: [number, number], { target = "H100", ...more }: Timed = {}) {
  const submissionId = await submitted(database, who, { mode: "ranked", targets: [target] });
  const run = await claimed(database, box, target, { machine: more.machine ?? MACHINE });
  const events = passing("ranked", timesNs).map((event) =>
    event.type === "case_finished" && event.stage === "ranked"
      ? {
          ...event,
          bytes: more.bytes ?? null,
          outputBytes: 0,
          rounds: rounds(timesNs[event.index] ?? 0, more.referenceNs ?? 1000),
        }
      : event,
  );
  await reported(database, box, run, events);
  return { submissionId, runId: run.runId };
}

const board = (target = "H100") => readBoard(database, STRANGER, "double", target);

// With a reference of 1000 ns and bounds of 200 ns, the SOL score of a case is 800 / (600 + its time).
const UNEVEN = 0.5 * (800 / 810 + 800 / 5600);
const EVEN = 800 / 1500;

test("a better SOL score ranks first, although the runtime is longer", async () => {
  await timed(bob, [900, 900]);
  await timed(ann, [210, 5000]);
  const { rankingBy, rows } = await board();
  expect(rankingBy).toBe("sol_score");
  expect(rows.map((row) => [row.rank, row.account.name, row.rankedBy?.value, row.deltaToNext])).toEqual([
    [1, "ann", expect.closeTo(UNEVEN, 9), null],
    [2, "bob", expect.closeTo(EVEN, 9), null],
  ]);
  expect(rows[0]?.timeNs.value).toBeGreaterThan(rows[1]?.timeNs.value ?? 0);
});

test("the best run of an account is the one with the best score, in whatever order runs end", async () => {
  await timed(ann, [210, 5000]);
  await timed(ann, [900, 900]);
  await timed(bob, [900, 900]);
  await timed(bob, [210, 5000]);
  expect((await board()).rows.map(({ rankedBy }) => rankedBy?.value)).toEqual([
    expect.closeTo(UNEVEN, 9),
    expect.closeTo(UNEVEN, 9),
  ]);
});

test("list, history and profile compare scores", async () => {
  await timed(bob, [900, 900]);
  await timed(ann, [210, 5000]);
  await timed(bob, [950, 950]);
  const best = { ranking: "sol_score", value: expect.closeTo(UNEVEN, 9) as number };
  const listed = (await listBoards(database, STRANGER)).find((each) => each.board === "double" && each.entries > 0);
  expect(listed).toMatchObject({ leader: { name: "ann" }, bestRankedBy: best });
  const { records, entrants } = await readHistory(database, STRANGER, "double", "H100", [bob.account.id]);
  expect(records.map(({ account, rankedBy }) => [account.name, rankedBy?.value])).toEqual([
    ["bob", expect.closeTo(EVEN, 9)],
    ["ann", expect.closeTo(UNEVEN, 9)],
  ]);
  expect(entrants[0]?.points.map(({ bestNs }) => bestNs)).toEqual([expect.closeTo(900, 6), expect.closeTo(900, 6)]);
  const person = await readPerson(database, STRANGER, ann.account.id);
  expect(person).toMatchObject({
    entries: [{ rank: 1, of: 2, rankedBy: best }],
    records: [{ rankedBy: best, until: null }],
  });
});

test("the score is recomputed from the receipt, which has the bounds, and a changed bound is noticed", async () => {
  const { submissionId, runId } = await timed(ann, [210, 5000]);
  const signed = await readReceipt(database, STRANGER, runId);
  if (signed === null) throw new Error("the run has no receipt");
  expect(signed.receipt).toMatchObject({ rankingBy: "sol_score", boundsNs: [200, 200] });
  expect(signed.receipt.score.rankedBy?.value).toBeCloseTo(UNEVEN, 9);
  const summary = (await readSubmission(database, submissionId))?.runs[0];
  expect(summary?.score?.rankedBy).toEqual(signed.receipt.score.rankedBy);
  const failed = async (receipt: typeof signed.receipt) => {
    const { checks } = await checkReceipt({ ...signed, receipt }, { keys: await listKeys(database) });
    return checks.filter(({ ok }) => ok === false).map(({ name }) => name);
  };
  expect(await failed(signed.receipt)).toEqual([]);
  expect(await failed({ ...signed.receipt, boundsNs: [100, 200] })).toEqual(["signature", "score"]);
});

test("the score is relative to the reference in the run itself, on a CPU too", async () => {
  await timed(bob, [900, 900], { target: "cpu" });
  await timed(ann, [1800, 1800], { target: "cpu", referenceNs: 2000 });
  const { rows } = await board("cpu");
  expect(rows.map(({ account, rankedBy }) => [account.name, rankedBy?.value])).toEqual([
    ["bob", expect.closeTo(EVEN, 9)],
    // The score of a case is (2000 - 200) / ((2000 - 200) + (1800 - 200)).
    ["ann", expect.closeTo(1800 / 3400, 9)],
  ]);
});

const BY_COST = {
  ...problemFiles((task) => task.replace("ranking_by: mean", "ranking_by: fraction_of_peak")),
  "reference.py": "def cost(size, seed): return {'bytes': 4 * size}\n",
};
const measured = (memoryBytesPerS: number): Machine => ({
  ...MACHINE,
  cpu: { ...MACHINE.cpu, measured: { memoryBytesPerS, operationsPerS: 1e9 } },
});

test("bounds by cost are those of the run's own machine, whatever ran before", async () => {
  await syncProblems(database, problemTree({ "set/double": BY_COST, "set/triple": problemFiles() }));
  // 1000 bytes at twice the measured 5 GB/s are 100 ns, and 200 ns on the machine that is half as fast.
  await timed(bob, [400, 400], { target: "cpu", bytes: 1000, machine: measured(5e9) });
  await timed(ann, [500, 500], { target: "cpu", bytes: 1000, machine: measured(2.5e9) });
  const { rows } = await board("cpu");
  expect(rows.map(({ account, rankedBy }) => [account.name, rankedBy?.value])).toEqual([
    ["ann", expect.closeTo(200 / 500, 9)],
    ["bob", expect.closeTo(100 / 400, 9)],
  ]);
});

test("a run without a bound for a case has no score, and the message names the case", async () => {
  await syncProblems(database, problemTree({ "set/double": BY_COST, "set/triple": problemFiles() }));
  const { submissionId } = await timed(ann, [400, 400], { target: "cpu", machine: measured(5e9) });
  expect((await readSubmission(database, submissionId))?.runs[0]).toMatchObject({
    verdict: "quarantined",
    message: expect.stringContaining("case 1 has no speed-of-light bound") as string,
  });
});

test("a time below a declared bound is quarantined", async () => {
  const { submissionId } = await timed(ann, [210, 150]);
  expect((await readSubmission(database, submissionId))?.runs[0]).toMatchObject({
    verdict: "quarantined",
    message: expect.stringContaining("below its speed-of-light bound of 200.0 ns: declared by the problem") as string,
  });
});
