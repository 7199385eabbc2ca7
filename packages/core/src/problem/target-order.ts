/** The order of targets wherever several are listed: pages, API, command line. */
import { deviceOf } from "../vocabulary/device.ts";
import { compareText } from "../text/compare-text.ts";
import type { ProblemSpec } from "../vocabulary/specification.ts";

const NATURAL = new Intl.Collator("en", { numeric: true });

/**
 * Compares two targets for sorting: CPUs first, then by name with numbers by value, so that `L4` comes before `L40S`
 * and `H100` before `H100x8`.
 * @example
 * ["T4", "H100x8", "cpu", "H100"].toSorted(compareTargets); // ["cpu", "H100", "H100x8", "T4"]
 */
export function compareTargets(a: string, b: string): number {
  const isCpu = (target: string): number => Number(deviceOf(target) === "cpu");
  return isCpu(b) - isCpu(a) || NATURAL.compare(a, b) || compareText(a, b);
}

/** Compares two values by their targets (see `compareTargets`). */
export function byTarget(a: { target: string }, b: { target: string }): number {
  return compareTargets(a.target, b.target);
}

/** Compares two boards by their problems, then by their targets. */
export function compareBoards(a: { problem: string; target: string }, b: { problem: string; target: string }): number {
  return compareText(a.problem, b.problem) || byTarget(a, b);
}

/** Returns the targets of a problem, sorted (see `compareTargets`). */
export function sortedTargets(spec: Pick<ProblemSpec, "targets">): string[] {
  return Object.keys(spec.targets).toSorted(compareTargets);
}
