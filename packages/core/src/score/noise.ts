/** Scores that are no measurement, because the machine was busy. */
import { deviceOf } from "../vocabulary/device.ts";
import type { CaseScore } from "./score.ts";
import type { Estimate } from "../vocabulary/interval.ts";

/**
 * Largest half-width of the interval of a score, as a part of its value. Above it, the run was not a measurement. On two
 * cores that 25 other processes also used, 14 of 20 ranked runs stayed below that of CPUs.
 */
const LIMIT = { cpu: 0.15, accelerator: 0.03 };

/** Number of times that a noisy run is timed again. */
export const MAX_RETIMINGS = 2;
/** Pause before the same runner times a noisy run again, in seconds; another runner may do so at once. */
export const RETIMING_PAUSE_S = 120;

/**
 * Returns whether a run was not a measurement: the interval of what ranks is too wide or, on a CPU, where other work
 * makes single calls slow, slow calls count in a case.
 */
export function isNoisy({ value, low, high }: Estimate, cases: readonly CaseScore[], target: string): boolean {
  return hasSlowCalls(cases, target) || (high - low) / 2 > LIMIT[deviceOf(target)] * value;
}

/**
 * Returns whether an evaluation at level `reward` was not a measurement: the lower end of its speedup, from which the
 * reward is computed, is below half of it; or slow calls count, as in `isNoisy`. In 100 such evaluations on two idle
 * cores that end was above half.
 */
export function isNoisyReward({ value, low }: Estimate, cases: readonly CaseScore[], target: string): boolean {
  return hasSlowCalls(cases, target) || low < value / 2;
}

function hasSlowCalls(cases: readonly CaseScore[], target: string): boolean {
  return deviceOf(target) === "cpu" && cases.some(({ slowCallCost }) => slowCallCost !== undefined);
}
