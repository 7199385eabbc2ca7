/** How the boards of a problem rank: the rule in words, and what is wrong with its fields in `task.yml`. */
import { sheetsOf } from "../machine/hardware.ts";
import { ranksByEfficiency } from "../score/efficiency.ts";
import { deviceOf } from "../score/score.ts";
import type { RankingBy } from "./spec.ts";
import type { TaskFile } from "./task-file.ts";

/** Name of the ranking value, as the heading of a column. */
export const RANKING_NAMES: Record<RankingBy, string> = {
  last: "Runtime",
  mean: "Runtime",
  geom: "Runtime",
  sol_score: "SOL score",
  fraction_of_peak: "Fraction of peak",
};

const RULES: Record<RankingBy, string> = {
  last: "the runtime of the last case",
  mean: "the mean runtime of the cases",
  geom: "the geometric mean of the runtimes of the cases",
  sol_score:
    "SOL score: 0.5 is as fast as the reference and 1 is the speed of light, the shortest runtime that the hardware " +
    "allows; the mean of the cases",
  fraction_of_peak:
    "fraction of peak: the shortest runtime that the hardware allows, divided by the runtime; the geometric mean of the cases",
};

/** Describes the value that ranks: `the mean runtime of the cases, weighted by importance`. */
export function formatRankingRule(rankingBy: RankingBy, { isWeighted }: { isWeighted: boolean }): string {
  return `${RULES[rankingBy]}${isWeighted ? ", weighted by importance" : ""}`;
}

/** What is known of a problem in addition to `task.yml`. */
interface ProblemFacts {
  /** Whether the problem has a harness of its own. */
  isLegacy: boolean;
  /** Whether `reference.py` declares the cost of a case. */
  hasCost: boolean;
}

/** Returns what is wrong with the ranking of a problem, each with its field; empty if nothing is. */
export function rankingFaults(task: TaskFile, facts: ProblemFacts): string[] {
  return [...weightFaults(task, facts), ...declaredBoundFaults(task, facts), ...missingBoundFaults(task, facts)];
}

function weightFaults(task: TaskFile, { isLegacy }: ProblemFacts): string[] {
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

function declaredBoundFaults(task: TaskFile, { isLegacy }: ProblemFacts): string[] {
  return Object.entries(task.targets).flatMap(([target, own]) => {
    const bounds = own?.speed_of_light_us;
    if (bounds === undefined) return [];
    const field = `targets.${target}.speed_of_light_us`;
    if (isLegacy) return [`${field} cannot be combined with a harness of the problem's own, which may skip cases`];
    const benchmarks = own?.benchmarks ?? task.benchmarks;
    return bounds.length === benchmarks.length
      ? []
      : [`${field}: ${bounds.length} for ${benchmarks.length} benchmarks; write one bound for each, in their order`];
  });
}

/** Returns the targets of a board that ranks by efficiency whose speed-of-light bounds are unknown. */
function missingBoundFaults(task: TaskFile, { isLegacy, hasCost }: ProblemFacts): string[] {
  const { ranking_by: by } = task;
  if (!ranksByEfficiency(by)) return [];
  if (isLegacy)
    return [
      `ranking_by: ${by} cannot be combined with a harness of the problem's own, which does not time the reference`,
    ];
  const targets = new Set([...task.gpus, ...Object.keys(task.targets)]);
  return [...targets].flatMap((target) => {
    if (task.targets[target]?.speed_of_light_us !== undefined) return [];
    const field = `ranking_by: ${by} needs a speed-of-light bound for each benchmark of target ${target}`;
    const declare = `targets.${target}.speed_of_light_us`;
    if (!hasCost) return [`${field}: define cost in reference.py, or write ${declare}`];
    const isKnown = deviceOf(target) === "cpu" || sheetsOf(target).length > 0;
    return isKnown ? [] : [`${field}, and the rates of this device are not known: write ${declare}`];
  });
}
