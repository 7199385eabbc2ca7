/** How the boards of a problem rank: the rule in words, and what is wrong with its fields in `task.yml`. */
import { sheetsOf } from "../machine/hardware.ts";
import { isEfficiency, type Ranking } from "../score/ranked-by.ts";
import { deviceOf } from "../vocabulary/device.ts";
import type { RankingBy } from "../vocabulary/specification.ts";
import type { TaskFile } from "./task-file.ts";

/** Names of what a board ranks by, as the heading of a column. */
export const RANKING_NAMES: Record<Ranking, string> = {
  time: "Runtime",
  speedup: "Speedup",
  sol_score: "SOL score",
  fraction_of_peak: "Fraction of peak",
};

const SOL_SCORE =
  "SOL score: 0.5 is as fast as the reference and 1 is the speed of light, the shortest runtime that the hardware " +
  "allows; the mean of the cases";
const FRACTION_OF_PEAK =
  "fraction of peak: the shortest runtime that the hardware allows, divided by the runtime; the geometric mean of the cases";

/**
 * Describes the value that ranks: `the mean of the speedups of the cases over the reference, weighted by importance`.
 * @param ranking of one board; absent: of all boards of a problem, which on CPUs may rank by another quantity.
 */
export function formatRankingRule(rankingBy: RankingBy, isWeighted: boolean, ranking?: Ranking): string {
  return `${ruleOf(rankingBy, ranking)}${isWeighted ? ", weighted by importance" : ""}`;
}

function ruleOf(rankingBy: RankingBy, ranking: Ranking | undefined): string {
  if (rankingBy === "sol_score") return SOL_SCORE;
  if (rankingBy === "fraction_of_peak") return FRACTION_OF_PEAK;
  if (rankingBy === "time" || rankingBy === "speedup") return combined("geom", rankingBy);
  if (ranking === undefined) return `${combined(rankingBy, "time")}; on CPUs, ${combined(rankingBy, "speedup")}`;
  return combined(rankingBy, ranking === "speedup" ? "speedup" : "time");
}

function combined(by: "last" | "mean" | "geom", of: "time" | "speedup"): string {
  const [one, many, over] =
    of === "time" ? ["runtime", "runtimes", ""] : ["speedup", "speedups", " over the reference"];
  if (by === "last") return `the ${one} of the last case${over}`;
  return `the ${by === "mean" ? "" : "geometric "}mean of the ${many} of the cases${over}`;
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

/** Returns what a ranking by speedup or efficiency lacks: the reference's times, or speed-of-light bounds of a target. */
function missingBoundFaults(task: TaskFile, { isLegacy, hasCost }: ProblemFacts): string[] {
  const { ranking_by: by } = task;
  if (isLegacy && (by === "speedup" || isEfficiency(by)))
    return [
      `ranking_by: ${by} cannot be combined with a harness of the problem's own, which does not time the reference`,
    ];
  if (!isEfficiency(by)) return [];
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
