/**
 * Speedup of a run on a CPU at the time that the reference takes on the board.
 *
 * Other work on a machine slows reference and kernel, but not equally: a kernel that computes may take 3 % longer where a
 * reference that copies takes 10 % longer, so their ratio depends on how busy the machine is. The rounds of a run, which
 * are not equally busy, show how the two times go together. The ratio of each round is corrected to the time of the
 * reference in the board's first run.
 */
import { FEWEST_ROUNDS } from "./slow-calls.ts";
import { median, quantileInterval } from "./statistics.ts";

/** Part of the rounds at either end that is left out of the range of the reference's times. */
const OUTSIDE = 0.1;

/**
 * Returns the speedup in each round, corrected to this time of the reference. Each is between two others: reference over
 * kernel in the same round, and this time over the kernel's.
 * @param times times of the kernel in the rounds, `references` those of the reference, in the unit of `referenceTime`
 */
export function speedupsAt(referenceTime: number, times: readonly number[], references: readonly number[]): number[] {
  const slope = sensitivity(times, references);
  const at = withinReach(referenceTime, references);
  return times.map((time, round) => {
    const reference = references[round] as number;
    return (reference / time) * (reference / at) ** (slope - 1);
  });
}

/**
 * Returns by how many per cent the kernel slows down in rounds in which the reference slows down by 1 %, from 0 to 1: the
 * median of the slopes between all pairs of rounds, in logarithms. The less the order of the two times agrees, the closer
 * the result is to 1, which leaves the paired ratios as they are: noise of the reference's times makes slopes too small.
 * Sources: P. K. Sen, Estimates of the regression coefficient based on Kendall's tau, JASA 63 (1968), 1379-1389; the
 * correlation sin(pi tau / 2), R. Greiner, 1909.
 */
function sensitivity(times: readonly number[], references: readonly number[]): number {
  if (times.length < FEWEST_ROUNDS) return 1;
  const [y, x] = [times.map(Math.log), references.map(Math.log)];
  const slopes = x.flatMap((one, i) =>
    x.slice(i + 1).flatMap((other, after) => {
      const run = other - one;
      return run === 0 ? [] : [((y[i + 1 + after] as number) - (y[i] as number)) / run];
    }),
  );
  if (slopes.length === 0) return 1;
  const tau = slopes.reduce((sum, slope) => sum + Math.sign(slope), 0) / slopes.length;
  const correlation = Math.sin((Math.PI / 2) * Math.max(0, tau));
  return 1 - correlation * (1 - Math.min(1, Math.max(0, median(slopes))));
}

/**
 * Returns the time of the reference to which the rounds are corrected: the nearest that occurred. If this time is so far
 * from all rounds that another machine must have taken it, the closer to the run's median the further away it is: rounds
 * of one machine say nothing about another.
 */
function withinReach(referenceTime: number, references: readonly number[]): number {
  const middle = median(references);
  const end = quantileInterval(references, referenceTime < middle ? OUTSIDE : 1 - OUTSIDE).value;
  const reach = Math.log(end / middle);
  if (reach === 0) return middle;
  const distance = Math.log(referenceTime / middle) / reach;
  return middle * Math.exp(reach * Math.max(0, Math.min(distance, 1, 2 - distance / 2)));
}
