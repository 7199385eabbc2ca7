/**
 * Samples of a timed case in the order in which they were taken: submission and reference alternate, so a drift of the
 * machine shows in both.
 */
import {
  caseLine,
  formatConditions,
  formatNs,
  formatRounds,
  summarizeRounds,
  type StageResult,
  type SampleSummary,
} from "@kernelbot/core";
import { chart } from "../chart/chart.ts";
import type { ChartPoint } from "../chart/data.ts";
import type { Html } from "../html.ts";
import { count } from "../layout/format.ts";

type CaseResult = StageResult["cases"][number];
type Rounds = CaseResult["rounds"];

/** Maximum number of points per series; a longer series is thinned evenly. */
const MAX_POINTS = 400;
/**
 * Multiple of the median above which a sample is left off the chart and named in its summary, since it would flatten the
 * rest.
 */
const OFF_CHART_RATIO = 3;

/** Renders the chart of a case; null without samples. */
export function samplesChart(result: CaseResult, id: string): Html | null {
  const { rounds, score } = result;
  const summaries = summarizeRounds(rounds);
  if (summaries === null) return null;
  const { candidate, reference } = summaries;
  const level = (ns: number): ChartPoint[] => [
    [1, ns],
    [rounds.length + 1, ns],
  ];
  return chart(
    {
      title: caseLine(result.case),
      summary: chartSummary(result, candidate),
      xs: "number",
      xLabel: "round",
      unit: "ns",
      series: [
        {
          label: "Reference",
          kind: "points",
          tone: "three",
          points: toPoints(rounds, "referenceNs", reference.median),
        },
        { label: "Submission", kind: "points", tone: "one", points: toPoints(rounds, "candidateNs", candidate.median) },
        ...(score === null
          ? []
          : [
              { label: "Runtime", kind: "line" as const, tone: "one" as const, points: level(score.timeNs.value) },
              { label: "95 % CI, low", kind: "line" as const, tone: "quiet" as const, points: level(score.timeNs.low) },
              {
                label: "95 % CI, high",
                kind: "line" as const,
                tone: "quiet" as const,
                points: level(score.timeNs.high),
              },
            ]),
      ],
    },
    id,
  );
}

function chartSummary(result: CaseResult, candidate: SampleSummary): string {
  const { rounds, score } = result;
  const { samples, outliers, median, worst } = candidate;
  const far = worst > OFF_CHART_RATIO * median ? `, the slowest at ${formatNs(worst)} (off the chart)` : "";
  const conditions = formatConditions(rounds);
  return [
    `${count(samples, "call", "calls")} in ${formatRounds(result)}`,
    // Of all calls, the estimate leaves some out: their median can be outside of its interval.
    ...(score === null
      ? []
      : [
          `runtime ${formatNs(score.timeNs.value)}, 95 % confidence interval ${formatNs(score.timeNs.low)} to ${formatNs(score.timeNs.high)}`,
        ]),
    outliers === 0 ? "no outliers" : `${count(outliers, "outlier", "outliers")}${far}`,
    ...(conditions === null ? [] : [conditions]),
  ].join("; ");
}

/** Returns the samples as points, spaced evenly within their round. */
function toPoints(rounds: Rounds, side: "candidateNs" | "referenceNs", median: number): ChartPoint[] {
  const points = rounds
    .flatMap((round, at) => round[side].map((ns, index): ChartPoint => [at + 1 + index / round[side].length, ns]))
    .filter(([, ns]) => ns <= OFF_CHART_RATIO * median);
  const every = Math.ceil(points.length / MAX_POINTS);
  return points.filter((_, index) => index % every === 0);
}
