import { join, resolve } from "node:path";
import { mean, scoreRun, standardDeviation } from "@kernelbot/core";
import { loadProblemDirectory, startTester } from "@kernelbot/tester";
import type { Bench, Figure } from "./figure.ts";
import { benchmarksOf, inProcess, rank } from "./judged.ts";

const RUNS = 20;
/** Number of calls of the plain loop. */
const CALLS = 100;
const WARM_UPS = 10;
/** A memory-bound kernel and a compute-bound one. */
const KERNELS = [
  { name: "vectoradd", case: { size: 262144, seed: 1 } },
  { name: "matmul", case: { m: 256, n: 256, k: 256, seed: 1 } },
];

/**
 * Ranks the same kernel 20 times and measures the variation of its score and of its speedup over the reference from run
 * to run (coefficient of variation). Peer: the mean of 100 calls in a fresh Python process, and the ratio of the
 * reference's mean to it; one such process after each ranked run.
 */
export const noise: Bench = async () => {
  const tester = await startTester();
  const figures: Figure[] = [];
  try {
    for (const kernel of KERNELS) {
      const directory = resolve(import.meta.dirname, "../problems/pmpp", kernel.name);
      const whole = await loadProblemDirectory(directory);
      const problem = { ...whole, spec: { ...whole.spec, targets: { cpu: { benchmarks: [kernel.case] } } } };
      const submission = join(directory, "solutions/correct.py");
      const plan = benchmarksOf(problem).map((one) => ({ case: one, kernelCalls: CALLS, referenceCalls: CALLS }));
      const judged: { time: number; speedup: number }[] = [];
      const plain: { time: number; speedup: number }[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        const { cases } = await rank(tester, problem, submission);
        const { timeNs, speedup } = scoreRun(
          cases.map(({ rounds }) => rounds),
          "last",
        );
        judged.push({ time: timeNs.value, speedup: speedup.value });
        const loop = await inProcess(directory, problem, submission, { cases: plan, warmUps: WARM_UPS, fresh: false });
        const [time = NaN, reference = NaN] = loop.cases.flatMap((one) => [mean(one.kernelNs), mean(one.referenceNs)]);
        plain.push({ time, speedup: reference / time });
      }
      for (const [what, of] of [
        ["score", (one: { time: number }) => one.time],
        ["speed-up", (one: { speedup: number }) => one.speedup],
      ] as const) {
        figures.push({
          name: `${kernel.name}: ${what} varies by`,
          value: variation(judged.map(of)),
          unit: "%",
          peer: "plain loop in process",
          peerValue: variation(plain.map(of)),
        });
      }
    }
    return figures;
  } finally {
    await tester.close();
  }
};

/** Returns the coefficient of variation: standard deviation over mean, in per cent. */
function variation(values: readonly number[]): number {
  return (100 * standardDeviation(values)) / mean(values);
}
