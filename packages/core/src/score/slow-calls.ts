/** Slow calls that an estimate leaves out, and what they cost. */
import type { Rounds } from "../run/tester-protocol.ts";
import { formatRatio } from "../text/units.ts";
import { mean, roundValue, standardError, timeOfRounds, type Device } from "./statistics.ts";

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

/** From how many times the estimate on a call of a CPU's kernel may have been delayed by other work. */
const DELAYED = 1.5;
/**
 * Delays of the candidate's calls count as those of other work as long as they are neither more than this many times as
 * many as the reference's, nor more by this many standard errors, nor longer by this factor on average.
 */
const MOST_DELAYS = { ratio: 4, errors: 3.1, length: 2 };

/**
 * Returns the factor by which calls that the estimate leaves out raise the mean time of the candidate more than that of
 * the reference in the same rounds; 1 where it is within the noise. Interference affects both, so what remains is the
 * kernel's own, and a kernel cannot move its cost into some of its calls. On a CPU a neighbour may slow one of the two
 * kernels by a third and not the other. The test compares logarithms, in which calls that are slow by chance cancel out.
 */
export function slowCallCost(rounds: Rounds, speedup: number, device: Device): number {
  if (
    rounds.every(
      ({ candidateWaitedNs, referenceWaitedNs }) => candidateWaitedNs !== undefined && referenceWaitedNs !== undefined,
    )
  )
    return costOf(rounds.map(withoutWaits), speedup, device);
  const cost = costOf(rounds, speedup, device);
  // Other work slows all calls by a factor, or makes a few of them wait.
  if (cost === 1 || device !== "cpu" || rounds.length < FEWEST_ROUNDS) return cost;
  return Math.min(cost, costOf(withoutDelays(rounds), speedup, device));
}

/**
 * Returns a round with the mean time of its calls, without that for which they waited for other processes, in place of
 * each; at least the time of the fastest.
 */
function withoutWaits({ candidateNs, referenceNs, candidateWaitedNs = 0, referenceWaitedNs = 0 }: Rounds[number]) {
  const own = (calls: readonly number[], waitedNs: number) =>
    calls.map(() => Math.max(Math.min(...calls), mean(calls) - waitedNs / calls.length));
  return { candidateNs: own(candidateNs, candidateWaitedNs), referenceNs: own(referenceNs, referenceWaitedNs) };
}

function costOf(rounds: Rounds, speedup: number, device: Device): number {
  const isFew = rounds.length < FEWEST_ROUNDS;
  const excess = rounds.map(({ candidateNs, referenceNs }) =>
    Math.log((mean(candidateNs) / mean(referenceNs)) * speedup),
  );
  if (!isFew && mean(excess) <= SLOW_CALLS_ERRORS * standardError(excess)) return 1;
  const calls = (side: "candidateNs" | "referenceNs") => mean(rounds.flatMap((round) => round[side]));
  const cost = (calls("candidateNs") / calls("referenceNs")) * speedup;
  return cost >= (isFew ? LEAST_COST_OF_FEW_ROUNDS : LEAST_SLOW_CALL_COST[device]) ? cost : 1;
}

/**
 * For rounds of which it is not known how long calls waited.
 *
 * Returns the rounds with the estimates in place of calls that waited for other work on the machine, as those of the
 * reference did in the same rounds: a call waits for some milliseconds, however short it is. Returns the rounds unchanged
 * where the candidate's delays differ from the reference's.
 */
function withoutDelays(rounds: Rounds): Rounds {
  const candidates = rounds.map(({ candidateNs }) => candidateNs);
  const references = rounds.map(({ referenceNs }) => referenceNs);
  const [timeNs, referenceNs] = [estimate(candidates), estimate(references)];
  const longer = delays(references, referenceNs, 0);
  if (longer.length === 0) return rounds;
  const least = mean(longer) / 2;
  const [own, other] = [delays(candidates, timeNs, least), delays(references, referenceNs, least)];
  const areAlike =
    own.length <= MOST_DELAYS.ratio * other.length &&
    own.length - other.length <= MOST_DELAYS.errors * Math.sqrt(own.length + other.length) &&
    (own.length === 0 || mean(own) <= MOST_DELAYS.length * mean(other));
  if (!areAlike) return rounds;
  const instead = (calls: readonly number[], time: number) =>
    calls.map((ns) => (isDelayed(ns, time, least) ? time : ns));
  return rounds.map((round) => ({
    candidateNs: instead(round.candidateNs, timeNs),
    referenceNs: instead(round.referenceNs, referenceNs),
  }));
}

function estimate(calls: readonly (readonly number[])[]): number {
  return timeOfRounds(
    calls.map((each) => roundValue(each, "cpu")),
    "cpu",
  );
}

/** Whether a call of a kernel that takes `time` was delayed by at least `least`. */
function isDelayed(ns: number, time: number, least: number): boolean {
  return ns > DELAYED * time && ns - time >= least;
}

/** Returns by how much each delayed call took longer than the kernel takes. */
function delays(calls: readonly (readonly number[])[], time: number, least: number): number[] {
  return calls
    .flat()
    .filter((ns) => isDelayed(ns, time, least))
    .map((ns) => ns - time);
}

/** Describes that slow calls raise the time of a case; null if they do not. */
export function formatSlowCalls(score: { slowCallCost?: number | undefined } | null): string | null {
  if (score?.slowCallCost === undefined) return null;
  return `some calls are so much slower than the others that the mean of all calls counts, ${formatRatio(score.slowCallCost)} the time of the fast ones`;
}
