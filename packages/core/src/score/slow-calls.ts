/** Slow calls that an estimate leaves out, and what they cost. */
import type { Rounds } from "../run/tester-protocol.ts";
import { formatRatio } from "../text/units.ts";
import { mean, standardError, type Device } from "./statistics.ts";

/**
 * Minimum number of rounds of an estimate: the smallest n for which the median lies between the extremes of n samples
 * with 95 % confidence.
 */
export const FEWEST_ROUNDS = 6;

/** Number of standard errors from which the cost of slow calls counts, and the least cost that does. */
const SLOW_CALLS_ERRORS = 2.5;
const LEAST_SLOW_CALL_COST = { cpu: 1.5, accelerator: 1.02 };
/** The least cost that counts with fewer than `FEWEST_ROUNDS` rounds, which do not show what is noise. */
const LEAST_COST_OF_FEW_ROUNDS = 2;

/**
 * Returns the factor by which calls that the estimate leaves out raise the mean time of the candidate more than that of
 * the reference in the same rounds; 1 where it is within the noise. Interference affects both, so what remains is the
 * kernel's own, and a kernel cannot move its cost into some of its calls. On a CPU a neighbour may slow one of the two
 * kernels by a third and not the other. The test compares logarithms, in which calls that are slow by chance cancel out.
 */
export function slowCallCost(rounds: Rounds, speedup: number, device: Device): number {
  const isFew = rounds.length < FEWEST_ROUNDS;
  const excess = rounds.map(({ candidateNs, referenceNs }) =>
    Math.log((mean(candidateNs) / mean(referenceNs)) * speedup),
  );
  if (!isFew && mean(excess) <= SLOW_CALLS_ERRORS * standardError(excess)) return 1;
  const calls = (side: "candidateNs" | "referenceNs") => mean(rounds.flatMap((round) => round[side]));
  const cost = (calls("candidateNs") / calls("referenceNs")) * speedup;
  return cost >= (isFew ? LEAST_COST_OF_FEW_ROUNDS : LEAST_SLOW_CALL_COST[device]) ? cost : 1;
}

/** Describes that slow calls raise the time of a case; null if they do not. */
export function formatSlowCalls(score: { slowCallCost?: number | undefined } | null): string | null {
  if (score?.slowCallCost === undefined) return null;
  return `some calls are so much slower than the others that the mean of all calls counts, ${formatRatio(score.slowCallCost)} the time of the fast ones`;
}
