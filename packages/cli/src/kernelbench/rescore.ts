/** The figures of an entry, computed here from what is stored of its kernels. */
import {
  scoredKernels,
  scoredProblems,
  scoreEntry,
  type BaselineChoice,
  type BaselineTime,
  type Entry,
  type EntryScore,
  type Suite,
} from "@kernelbot/core";

/** The same entry with its figures against this baseline; `stored` are the times of a stored one. */
export function rescored(
  entry: Entry,
  suite: Pick<Suite, "problems">,
  baseline: BaselineChoice,
  stored: readonly BaselineTime[],
): Entry & { score: EntryScore } {
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
