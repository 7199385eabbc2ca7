/** Summary and distribution of a timed case's samples. */
import {
  formatConditions,
  formatNs,
  formatRounds,
  summarizeRounds,
  type StageResult,
  type SampleSummary,
} from "@kernelbot/core";
import { formatCount, wrap } from "../output/text.ts";
import { histogram } from "./histogram.ts";
import type { Page } from "./page.ts";

/** Formats the samples of one case; empty when it has none. */
export function sampleLines(result: StageResult["cases"][number], { width, style }: Page): string[] {
  const summaries = summarizeRounds(result.rounds);
  if (summaries === null) return [];
  const rounds = `${formatCount(summaries.candidate.samples, "sample")} in ${formatRounds(result)}`;
  return [
    "",
    `${style.bold(`case ${result.index + 1}`)}, ${rounds}`,
    ...wrap(summaryWords(summaries.candidate), width),
    ...wrap(`reference: ${summaryWords(summaries.reference)}`, width).map(style.dim),
    ...[formatConditions(result.rounds)].flatMap((sentence) => (sentence === null ? [] : wrap(sentence, width))),
    ...histogram(
      result.rounds.flatMap((round) => round.candidateNs),
      Math.max(32, Math.min(60, width - 4)),
      4,
    ),
  ];
}

/**
 * Formats a summary: `mean 12.34 µs, median 12.30 µs, sd 0.40 µs, error 0.02 µs, 11.9 µs to 20.1 µs, 4 outliers (1.3
 * %)`.
 */
export function summaryWords(summary: SampleSummary): string {
  const { mean, median, standardDeviation, standardError, best, worst, outliers, samples } = summary;
  return [
    `mean ${formatNs(mean)}`,
    `median ${formatNs(median)}`,
    ...(standardDeviation === null ? [] : [`sd ${formatNs(standardDeviation)}`]),
    ...(standardError === null ? [] : [`error ${formatNs(standardError)}`]),
    `${formatNs(best)} to ${formatNs(worst)}`,
    outliers === 0
      ? "no outliers"
      : `${formatCount(outliers, "outlier")} (${((100 * outliers) / samples).toFixed(1)} %)`,
  ].join(", ");
}
