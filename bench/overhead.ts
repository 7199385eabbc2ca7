import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { loadProblemDirectory, startTester } from "@kernelbot/tester";
import type { Bench, Figure } from "./figure.ts";
import { benchmarksOf, inProcess, rank } from "./judged.ts";

const SET = resolve(import.meta.dirname, "../problems/pmpp");

/**
 * Measures the cost of judging: wall time of a ranked run of each PMPP problem (compilation, tests, all rounds), in
 * total and per timed call. Peer: as many calls of kernel and reference in one process, each on fresh inputs and
 * checked; start of the process, imports and the stage test are excluded.
 */
export const overhead: Bench = async () => {
  const tester = await startTester();
  const figures: Figure[] = [];
  try {
    for (const name of readdirSync(SET)) {
      const directory = join(SET, name);
      const problem = await loadProblemDirectory(directory);
      const submission = join(directory, "solutions/correct.py");
      const { cases, wallS } = await rank(tester, problem, submission);
      const plan = benchmarksOf(problem).map((one, at) => {
        const rounds = cases[at]?.rounds ?? [];
        return {
          case: one,
          kernelCalls: rounds.flatMap((round) => round.candidateNs).length,
          referenceCalls: rounds.flatMap((round) => round.referenceNs).length,
        };
      });
      const calls = plan.reduce((sum, one) => sum + one.kernelCalls + one.referenceCalls, 0);
      const peer = await inProcess(directory, problem, submission, { cases: plan, warmUps: 1, fresh: true });
      figures.push(
        { name: `${name}: ranked run`, value: wallS, unit: "s", peer: "in process", peerValue: peer.wallS },
        {
          name: `${name}: per call of ${calls}`,
          value: (wallS / calls) * 1000,
          unit: "ms",
          peer: "in process",
          peerValue: (peer.wallS / calls) * 1000,
        },
      );
    }
    return figures;
  } finally {
    await tester.close();
  }
};
