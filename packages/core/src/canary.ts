/**
 * The canary: a fixed kernel that each runner times now and then by its judge. A machine is compared with nothing but itself: a
 * baseline of its first canaries. A single slow one proves nothing, so the latest few decide together.
 */
import { median } from "./statistics.ts";

/** What the kernel does in each case, in order: copies memory, multiplies matrices. */
export const CANARY_CASES = ["memory", "arithmetic"] as const;

/** How many canaries a baseline is the median of. */
export const BASELINE_OF = 5;
/** How many of the latest decide, by their median. */
export const JUDGED_BY = 3;

/** The median of each case, in nanoseconds. Needs one canary. */
export function medianTimes(canaries: readonly (readonly number[])[]): number[] {
  return CANARY_CASES.map((_, index) => median(canaries.map((times) => times[index] as number)));
}

/** How far a canary is from its baseline, in the case that differs most: 0.1 is 10 % slower, -0.1 is 10 % faster. */
export function driftOf(timesNs: readonly number[], baselineNs: readonly number[]): { case: string; by: number } {
  const drifts = CANARY_CASES.map((name, index) => ({
    case: name,
    by: (timesNs[index] as number) / (baselineNs[index] as number) - 1,
  }));
  return drifts.toSorted(
    (a, b) => Math.abs(Math.log1p(b.by)) - Math.abs(Math.log1p(a.by)),
  )[0] as (typeof drifts)[number];
}

/** `8.2 % slower` */
export function driftWords(by: number): string {
  return `${Math.abs(100 * by).toFixed(1)} % ${by < 0 ? "faster" : "slower"}`;
}
