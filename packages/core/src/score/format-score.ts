/** Formats results by the value that ranks them. */
import { formatNs, formatRatio, formatSpread, formatTiming } from "../text/units.ts";
import type { BestRankedBy, RankedResult, RunScore } from "./ranked-by.ts";

/** Formats a value by which a board ranks in place of the time: a speedup as `1.250×`, an efficiency as `0.623`. */
export function formatRankedBy({ ranking, value }: BestRankedBy): string {
  return ranking === "speedup" ? formatRatio(value) : value.toFixed(3);
}

/** Formats the value that ranks a result. */
export function formatRankingValue({ timeNs, rankedBy }: RankedResult): string {
  return rankedBy == null ? formatNs(timeNs.value) : formatRankedBy(rankedBy);
}

/** Formats the best result of a board where all kinds of boards are listed: `12.34 µs`, `1.250×` or `score 0.623`. */
export function formatBest(bestNs: number, best?: BestRankedBy | null): string {
  if (best == null) return formatNs(bestNs);
  return `${best.ranking === "speedup" ? "" : "score "}${formatRankedBy(best)}`;
}

/** Formats the value that ranks as part of a sentence: `12.34 µs`, `1.250× speedup` or `score 0.623`. */
export function formatRankingWords({ timeNs, rankedBy }: RankingValue): string {
  return `${formatBest(timeNs.value, rankedBy)}${rankedBy?.ranking === "speedup" ? " speedup" : ""}`;
}

/** Time of a result in nanoseconds, and the value by which it ranks if that is not the time. */
interface RankingValue {
  timeNs: { value: number };
  rankedBy?: BestRankedBy | null | undefined;
}

/** Formats a result in full: `12.34 µs ± 0.4 %`, after the value that ranks: `1.250× speedup, 12.34 µs ± 0.4 %`. */
export function formatResult({ timeNs, rankedBy }: RankedResult): string {
  const timing = formatTiming(timeNs);
  return rankedBy == null ? timing : `${formatRankingWords({ timeNs, rankedBy })}, ${timing}`;
}

/** Formats a score with its speedup, which is first where it ranks: `12.34 µs ± 0.4 %, 1.250× as fast as the reference`. */
export function formatScore({ timeNs, speedup, rankedBy }: RunScore): string {
  const result = formatResult({ timeNs, rankedBy });
  if (speedup === null) return result;
  const relative = `${formatRatio(speedup.value)} as fast as the reference`;
  return rankedBy?.ranking === "speedup" ? `${relative}, ${formatTiming(timeNs)}` : `${result}, ${relative}`;
}

/** Formats the interval of the value that ranks a result, as `formatSpread`. */
export function formatRankingSpread({ timeNs, rankedBy }: RankedResult): string {
  if (rankedBy == null) return formatSpread(timeNs);
  return formatSpread(rankedBy, (value) => formatRankedBy({ ...rankedBy, value }));
}
