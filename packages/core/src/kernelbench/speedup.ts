/** How many times as fast as its model a kernel is. */
import { independentRatio, type Estimate } from "../statistics.ts";
import type { KernelResult } from "./entry.ts";
import { kernelKeyText, suiteKeyText } from "./key.ts";
import type { BaselineChoice } from "./score.ts";
import type { BaselineTime } from "./stored-baseline.ts";

/** How many times as fast as the baseline; null where either is no time. Held inside of what a double can say. */
export function speedupOf(timeNs: number | null, baselineNs: number | null): number | null {
  return isTime(timeNs) && isTime(baselineNs) ? finite(baselineNs / timeNs) : null;
}

export function isTime(ns: number | null): ns is number {
  return ns !== null && Number.isFinite(ns) && ns > 0;
}

/** The nearest positive number that a double holds. */
export function finite(value: number): number {
  return Math.min(Number.MAX_VALUE, Math.max(Number.MIN_VALUE, value));
}

/**
 * The time of a kernel's model by the baseline that was chosen. That of a stored one is looked up by key; how sure it was is
 * not stored, so it counts as exact.
 */
export function modelTimes(
  baseline: BaselineChoice,
  stored: readonly BaselineTime[] = [],
): (result: KernelResult) => Estimate | null {
  if (baseline.kind === "eager") return ({ eagerNs }) => eagerNs;
  if (baseline.kind === "compiled") return ({ compiledNs }) => compiledNs;
  const times = new Map(stored.map((time) => [suiteKeyText(time), time.timeNs]));
  return (result) => {
    const value = times.get(suiteKeyText(result));
    return value === undefined ? null : { value, low: value, high: value };
  };
}

/** The speed-up over a model of the same session, from rounds taken side by side; null where there is none. */
export function pairedSpeedup(baseline: BaselineChoice, result: KernelResult): Estimate | null {
  if (result.timeNs === null || baseline.kind === "stored") return null;
  return (baseline.kind === "eager" ? result.eagerSpeedup : result.compiledSpeedup) ?? null;
}

/**
 * How many times as fast as the baseline a kernel is, null where it was not timed: the paired speed-up, else the ratio of the
 * two times, whose interval takes theirs for independent.
 */
export function speedupBy(
  baseline: BaselineChoice,
  stored: readonly BaselineTime[] = [],
): (result: KernelResult) => Estimate | null {
  const modelOf = modelTimes(baseline, stored);
  return (result) => {
    const paired = pairedSpeedup(baseline, result);
    if (paired !== null) return paired;
    const [time, model] = [result.timeNs, modelOf(result)];
    const value = speedupOf(time?.value ?? null, model?.value ?? null);
    if (time === null || model === null || value === null) return null;
    const { low, high } = independentRatio(model, time);
    return { value, low: finite(low), high: finite(high) };
  };
}

/** Those of kernels of one entry by their keys; those that were not timed are not in it. */
export function speedupsOf(
  results: readonly KernelResult[],
  baseline: BaselineChoice,
  stored: readonly BaselineTime[] = [],
): ReadonlyMap<string, Estimate> {
  const speedup = speedupBy(baseline, stored);
  return new Map(
    results.flatMap((result) => {
      const found = speedup(result);
      return found === null ? [] : [[kernelKeyText(result), found] as const];
    }),
  );
}

/** Correct kernels before those that the oracle alone lets pass, and these before all others; of a kind the faster first. */
export function bestFirst<Row extends { result: KernelResult }>(
  rows: readonly Row[],
  baseline: BaselineChoice,
  stored: readonly BaselineTime[] = [],
): Row[] {
  const speedup = speedupBy(baseline, stored);
  const place = ({ correct, correctByOracle }: KernelResult): number => (correct ? 0 : correctByOracle ? 1 : 2);
  const speed = (result: KernelResult): number => speedup(result)?.value ?? 0;
  return rows.toSorted((a, b) => place(a.result) - place(b.result) || speed(b.result) - speed(a.result));
}
