/** Computes an entry's metrics locally from the stored results of its kernels. */
import {
  scoredKernels,
  scoredProblems,
  scoreEntry,
  type BaselineChoice,
  type BaselineTime,
  type KernelBenchEntry,
  type KernelBenchScore,
  type Suite,
} from "@kernelbot/core";

/** Returns the entry with its metrics against the given baseline; `stored` has the times of a stored baseline. */
export function rescored(
  entry: KernelBenchEntry,
  suite: Pick<Suite, "problems">,
  baseline: BaselineChoice,
  stored: readonly BaselineTime[],
): KernelBenchEntry & { score: KernelBenchScore } {
  const { suiteVersion, evaluators, hardware } = entry.score;
  const kernels = scoredKernels(entry.results, baseline, stored);
  const score = scoreEntry({
    suiteVersion,
    problems: scoredProblems(suite),
    kernels,
    baseline,
    evaluators,
    hardware,
  });
  return { ...entry, score };
}
