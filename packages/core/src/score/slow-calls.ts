/** The rule for slow calls that an estimate leaves out. */
import type { Rounds } from "../run/tester-protocol.ts";
import { formatRatio } from "../text/units.ts";
import type { Device } from "../vocabulary/device.ts";
import { mean, median, roundTime } from "./statistics.ts";

/**
 * Limit of the candidate's excess over the reference's. On a shared CPU other work makes single calls of either much
 * slower; on an accelerator it does not.
 */
const LIMIT = { cpu: 1.5, accelerator: 1.02 };

/** Time of a case and of its reference by nearly all their calls, with the factor over the estimate. */
export interface SlowCalls {
  timeNs: number;
  referenceNs: number;
  /** Mean of the candidate's calls, divided by its estimate. */
  cost: number;
}

/**
 * Returns the mean of all calls but the slowest hundredth, at least one: a single delay by the operating system can take a
 * thousand times as long as a call of some microseconds.
 */
export function meanOfCalls(calls: readonly number[]): number {
  return mean(calls.toSorted((a, b) => a - b).slice(0, Math.max(1, calls.length - Math.ceil(calls.length / 100))));
}

/**
 * Returns the means of the calls (`meanOfCalls`) where these count instead of the estimates: where the candidate's mean exceeds its
 * estimate by more than `LIMIT` times what the reference's does in the same rounds. Null where the estimates count. A
 * kernel therefore gains nothing from a part of its calls or rounds in which it does less of its work.
 */
export function slowCalls(rounds: Rounds, device: Device): SlowCalls | null {
  const candidate = excess(rounds.map(({ candidateNs }) => candidateNs));
  const reference = excess(rounds.map(({ referenceNs }) => referenceNs));
  if (candidate.factor <= LIMIT[device] * reference.factor) return null;
  return { timeNs: candidate.meanNs, referenceNs: reference.meanNs, cost: candidate.factor };
}

function excess(calls: readonly (readonly number[])[]): { meanNs: number; factor: number } {
  const meanNs = meanOfCalls(calls.flat());
  return { meanNs, factor: meanNs / median(calls.map(roundTime)) };
}

/** Describes that slow calls raise the time of a case; null if they do not. */
export function formatSlowCalls(score: { slowCallCost?: number | undefined } | null): string | null {
  if (score?.slowCallCost === undefined) return null;
  return `some calls are so much slower than the others that the mean of the calls counts, ${formatRatio(score.slowCallCost)} the time without them`;
}
