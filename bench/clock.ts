import { join, resolve } from "node:path";
import { median } from "@kernelbot/core";
import { loadProblemData, startTester } from "@kernelbot/tester";
import { quantile, type Bench, type Figure } from "./figure.ts";
import { benchmarksOf, inProcess, rank } from "./judged.ts";

const DIRECTORY = resolve(import.meta.dirname, "../tester/kernelbot_tester/qualify/problems/waiting");
const SUBMISSION = join(DIRECTORY, "kernel.py");

/**
 * Measures the error of the judge's clock: kernels that wait for a known time, measured minus known, over all calls of
 * a ranked run. Peer: the same number of calls timed by the process that runs the kernel.
 */
export const clock: Bench = async () => {
  const problem = await loadProblemData(DIRECTORY);
  const tester = await startTester();
  try {
    const { cases } = await rank(tester, problem, SUBMISSION);
    const judged = cases.map(({ rounds }) => rounds.flatMap((round) => round.candidateNs));
    const benchmarks = benchmarksOf(problem);
    const plan = benchmarks.map((one, at) => ({
      case: one,
      kernelCalls: judged[at]?.length ?? 0,
      referenceCalls: 0,
    }));
    const peer = await inProcess(DIRECTORY, problem, SUBMISSION, { cases: plan, warmUps: 1, fresh: false });
    return benchmarks.flatMap(({ duration_us }, at): Figure[] => {
      const known = Number(duration_us);
      const added = (samples: readonly number[]) => samples.map((ns) => ns / 1000 - known);
      const [ours, theirs] = [added(judged[at] ?? []), added(peer.cases[at]?.kernelNs ?? [])];
      const name = known === 0 ? "clock adds to nothing" : `clock adds to ${known} us`;
      const figure = (what: string, of: (values: readonly number[]) => number): Figure => ({
        name: `${name}, ${what}`,
        value: of(ours),
        unit: "us",
        peer: `in process, ${what}`,
        peerValue: of(theirs),
      });
      return [figure("median", median), figure("95 %", (values) => quantile(values, 0.95))];
    });
  } finally {
    await tester.close();
  }
};
