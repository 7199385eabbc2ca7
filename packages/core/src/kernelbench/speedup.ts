/** Speedups of kernels over their models. */
import type { Estimate } from "../vocabulary/interval.ts";
import { independentRatio } from "../score/statistics.ts";
import type { KernelResult } from "./entry.ts";
import { kernelKeyText, suiteKeyText } from "./key.ts";
import type { BaselineChoice } from "./score.ts";
import type { BaselineTime } from "./stored-baseline.ts";

/** Returns the speedup over the baseline, limited to finite positive numbers; null if either time is invalid. */
export function speedupOf(timeNs: number | null, baselineNs: number | null): number | null {
  return isTime(timeNs) && isTime(baselineNs) ? clampToPositive(baselineNs / timeNs) : null;
}

/** Returns whether a value is a valid time: positive and finite. */
export function isTime(ns: number | null): ns is number {
  return ns !== null && Number.isFinite(ns) && ns > 0;
}

/** Clamps a value to the positive finite doubles. */
export function clampToPositive(value: number): number {
  return Math.min(Number.MAX_VALUE, Math.max(Number.MIN_VALUE, value));
}

/**
 * Returns a function that finds the time of a kernel's model by the selected baseline. A stored baseline is matched by
 * key; its uncertainty is not stored, so it is treated as exact.
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

/** Returns the speedup over a model of the same session, from the same rounds; null if there is none. */
export function pairedSpeedup(baseline: BaselineChoice, result: KernelResult): Estimate | null {
  if (result.timeNs === null || baseline.kind === "stored") return null;
  return (baseline.kind === "eager" ? result.eagerSpeedup : result.compiledSpeedup) ?? null;
}

/**
 * Returns a function that computes the speedup of a kernel over the baseline, null if it was not timed: the paired
 * speedup, else the ratio of the two times, with an interval that assumes that they are independent.
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
    return { value, low: clampToPositive(low), high: clampToPositive(high) };
  };
}

/** Returns the speedups of one entry's kernels by key; kernels that were not timed are omitted. */
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

/**
 * Sorts correct kernels first, then kernels accepted only by the oracle, then all others; each group by speedup,
 * fastest first.
 */
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
