/** Scores of boards whose target is a CPU: they are given at the board's times of the reference. */
import type { RankingBy, StopRule } from "../problem/spec.ts";
import { combineEnds, type Weights } from "./combine.ts";
import { countedRounds, deviceOf, scoreCases, type CaseScore, type Score, type TimedCase } from "./score.ts";
import { median, roundValue } from "./statistics.ts";

/**
 * Whether the ranked score of a board is at the board's reference times. On CPUs the state of the machine changes all
 * times by tens of percent between runs, and much less the speedup, which then determines the rank.
 */
export function ranksAtBoardReference(target: string, stop: StopRule): boolean {
  return deviceOf(target) === "cpu" && stop === "rounds";
}

/**
 * Returns the times of the reference in a run, one for each case in nanoseconds, for the board whose first run it is: the
 * medians over the rounds, to which later runs are most often close. Null if a case has no reference.
 */
export function boardReferenceTimes(cases: readonly TimedCase[], target: string): number[] | null {
  if (cases.some(({ rounds }) => rounds.length === 0)) return null;
  return cases.map(({ rounds }) =>
    median(countedRounds(rounds).map(({ referenceNs }) => roundValue(referenceNs, deviceOf(target)))),
  );
}

/**
 * Computes the score of a run as a board gives it. With `boardReferenceNs`, the times of the reference in the cases, in
 * nanoseconds, speedups are those at these times, and times are board reference over speedup; null: all as measured.
 * @throws RangeError as `scoreCases`
 */
export function scoreOnBoard(
  cases: readonly TimedCase[],
  rankingBy: RankingBy,
  target: string,
  stop: StopRule,
  weights: Weights,
  boardReferenceNs: readonly number[] | null,
): Score {
  const score = scoreCases(cases, rankingBy, target, stop, weights, boardReferenceNs);
  if (boardReferenceNs === null) return score;
  const atBoard = score.cases.map((one, at) => withBoardTime(one, boardReferenceNs[at]));
  const times = atBoard.map(({ timeNs }) => timeNs);
  return { ...score, timeNs: combineEnds(times, rankingBy, weights), cases: atBoard };
}

function withBoardTime(score: CaseScore, boardNs: number | undefined): CaseScore {
  if (boardNs === undefined || score.speedup === null) return score;
  const { value, low, high } = score.speedup;
  // Without the error of two divisions: the time that was measured where the reference took as long as the board's.
  const timeNs = Number((boardNs / value).toPrecision(15));
  return { ...score, timeNs: { value: timeNs, low: boardNs / high, high: boardNs / low } };
}
