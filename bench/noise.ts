import { spawn, type ChildProcess } from "node:child_process";
import { join, resolve } from "node:path";
import { geometricMean, mean, scoreRun, standardDeviation, type Estimate } from "@kernelbot/core";
import { loadProblemDirectory, type Tester } from "@kernelbot/tester";
import type { Bench, Figure } from "./figure.ts";
import { benchmarksOf, inProcess, measureEach, rank } from "./judged.ts";

const RUNS = 4;
/** Calls of the plain loop in each case. */
const CALLS = 50;
const WARM_UPS = 10;
const PROBLEMS = ["vectoradd", "matmul", "prefixsum", "sort", "histogram"];
/** Number of processes that compute without end during the measurement. */
const BUSY_PROCESSES = 4;

/** Measures a machine with four busy processes, as `noise`. */
export const noiseBusy: Bench = async () => {
  const load = Array.from({ length: BUSY_PROCESSES }, () => spawn(process.execPath, ["-e", "for (;;);"]));
  try {
    return await noise();
  } finally {
    load.forEach((busy: ChildProcess) => busy.kill());
  }
};

/**
 * Ranks the same kernel four times and reports how its speedup, by which CPUs rank, and its time vary from run to run
 * (coefficient of variation), how many pairs of runs have overlapping intervals of the speedup, and the duration of a
 * run. Peer: the means of 50 calls in a fresh Python process; one such process after each ranked run.
 */
export const noise: Bench = () => measureEach(PROBLEMS, figuresOf);

async function figuresOf(tester: Tester, name: string): Promise<Figure[]> {
  const directory = resolve(import.meta.dirname, "../problems/pmpp", name);
  const problem = await loadProblemDirectory(directory);
  const submission = join(directory, "solutions/correct.py");
  const plan = benchmarksOf(problem).map((one) => ({ case: one, kernelCalls: CALLS, referenceCalls: CALLS }));
  const judged: { time: number; speedup: Estimate; wallS: number }[] = [];
  const plain: { time: number; speedup: number }[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const { cases, wallS } = await rank(tester, problem, submission);
    const { timeNs, speedup } = scoreRun(
      cases.map(({ rounds }) => rounds),
      "geom",
      "cpu",
    );
    judged.push({ time: timeNs.value, speedup, wallS });
    const loop = await inProcess(directory, problem, submission, { cases: plan, warmUps: WARM_UPS, fresh: false });
    plain.push({
      time: geometricMean(loop.cases.map(({ kernelNs }) => mean(kernelNs))),
      speedup: geometricMean(loop.cases.map(({ kernelNs, referenceNs }) => mean(referenceNs) / mean(kernelNs))),
    });
  }
  const peer = "plain loop in process";
  return [
    {
      ...{
        name: `${name}: speed-up varies by`,
        value: variation(judged.map(({ speedup }) => speedup.value)),
        unit: "%",
      },
      ...{ peer, peerValue: variation(plain.map(({ speedup }) => speedup)) },
    },
    {
      ...{ name: `${name}: time varies by`, value: variation(judged.map(({ time }) => time)), unit: "%" },
      ...{ peer, peerValue: variation(plain.map(({ time }) => time)) },
    },
    { name: `${name}: pairs that overlap`, value: overlapping(judged.map(({ speedup }) => speedup)), unit: "%" },
    { name: `${name}: duration of a run`, value: mean(judged.map(({ wallS }) => wallS)), unit: "s" },
  ];
}

/** Returns the coefficient of variation: standard deviation over mean, in per cent. */
function variation(values: readonly number[]): number {
  return (100 * standardDeviation(values)) / mean(values);
}

/** Returns the percentage of pairs of intervals that overlap. */
function overlapping(intervals: readonly Estimate[]): number {
  const pairs = intervals.flatMap((a, at) => intervals.slice(at + 1).map((b) => a.low <= b.high && b.low <= a.high));
  return (100 * pairs.filter(Boolean).length) / pairs.length;
}
