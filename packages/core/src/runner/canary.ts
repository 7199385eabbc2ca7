/**
 * Canary: a fixed kernel that the judge of each runner times periodically, to detect drift of the machine. Each machine
 * is compared with its own baseline, the first canaries. A single slow canary is not evidence, so the median of the
 * latest few decides.
 */
import { median } from "../score/statistics.ts";

/** Kind of work of each canary case, in order: copying memory, multiplying matrices. */
export const CANARY_CASES = ["memory", "arithmetic"] as const;

/** Number of canaries in the baseline median. */
export const BASELINE_CANARIES = 5;
/** Number of the latest canaries whose median is compared with the baseline. */
export const COMPARED_CANARIES = 3;

/** Returns the median time of each case, in nanoseconds. Needs at least one canary. */
export function medianTimes(canaries: readonly (readonly number[])[]): number[] {
  return CANARY_CASES.map((_, index) => median(canaries.map((times) => times[index] as number)));
}

/** Returns the largest deviation from the baseline over the cases: 0.1 is 10 % slower, -0.1 is 10 % faster. */
export function driftOf(timesNs: readonly number[], baselineNs: readonly number[]): { case: string; by: number } {
  const drifts = CANARY_CASES.map((name, index) => ({
    case: name,
    by: (timesNs[index] as number) / (baselineNs[index] as number) - 1,
  }));
  return drifts.toSorted(
    (a, b) => Math.abs(Math.log1p(b.by)) - Math.abs(Math.log1p(a.by)),
  )[0] as (typeof drifts)[number];
}

/** Formats a drift: `8.2 % slower`. */
export function formatDrift(by: number): string {
  return `${Math.abs(100 * by).toFixed(1)} % ${by < 0 ? "faster" : "slower"}`;
}
