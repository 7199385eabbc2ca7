/** How the boards of a problem rank: the rule in words, and what is wrong with its fields in `task.yml`. */
import type { RankingBy } from "./spec.ts";
import type { TaskFile } from "./task-file.ts";

const RULES: Record<RankingBy, string> = {
  last: "the runtime of the last case",
  mean: "the mean runtime of the cases",
  geom: "the geometric mean of the runtimes of the cases",
};

/** Describes the value that ranks: `the mean runtime of the cases, weighted by importance`. */
export function formatRankingRule(rankingBy: RankingBy, { isWeighted }: { isWeighted: boolean }): string {
  return `${RULES[rankingBy]}${isWeighted ? ", weighted by importance" : ""}`;
}

/** Returns what is wrong with the ranking of a problem, each with its field; empty if nothing is. */
export function rankingFaults(task: TaskFile, { isLegacy }: { isLegacy: boolean }): string[] {
  return weightFaults(task, isLegacy);
}

function weightFaults(task: TaskFile, isLegacy: boolean): string[] {
  const lists = [
    { field: "weights", weights: task.weights, benchmarks: task.benchmarks },
    ...Object.entries(task.targets).map(([target, own]) => ({
      field: `targets.${target}.weights`,
      weights: own?.weights,
      benchmarks: own?.benchmarks ?? task.benchmarks,
    })),
  ];
  return lists.flatMap(({ field, weights, benchmarks }) => {
    if (weights === undefined) return [];
    if (isLegacy) return [`${field} cannot be combined with a harness of the problem's own, which may skip cases`];
    if (task.ranking_by === "last")
      return [`${field} cannot be combined with ranking_by: last, which counts one benchmark only`];
    return weights.length === benchmarks.length
      ? []
      : [`${field}: ${weights.length} for ${benchmarks.length} benchmarks; write one weight for each, in their order`];
  });
}
