/** Samples of the timed cases, as charts and as summary tables. */
import {
  caseLine,
  formatNs,
  formatRounds,
  summarizeRounds,
  type StageResult,
  type SampleSummary,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { samplesChart } from "./samples-chart.ts";
import { count } from "../layout/format.ts";

type CaseResult = StageResult["cases"][number];

/** Number of charts shown unfolded. */
const OPEN_CHARTS = 6;

/**
 * Renders a chart for each case that has samples, then folded summary statistics of submission and reference. Null if no
 * case has samples. `key` keeps element IDs unique within the page; `openCharts` is the number of charts shown unfolded.
 */
export function samples(stage: StageResult, key: string = stage.stage, openCharts = OPEN_CHARTS): Html | null {
  const tables = stage.cases.map(summaryTable).filter((table) => table !== null);
  if (tables.length === 0) return null;
  const charts = stage.cases
    .map((result) => samplesChart(result, `samples-${key}-${result.index}`))
    .filter((chart) => chart !== null);
  return html`${openCharts === 0 ? null : html`<div class="charts" id="samples-${key}">${charts.slice(0, openCharts)}</div>`}
    ${
      charts.length <= openCharts
        ? null
        : html`<details class="quiet-line" id="more-samples-${key}">
            <summary>
              Sample charts of
              ${openCharts === 0 ? stage.stage : count(charts.length - openCharts, "more case", "more cases")}
            </summary>
            <div class="charts">${charts.slice(openCharts)}</div>
          </details>`
    }
    <details class="quiet-line" id="summaries-${key}">
      <summary>Sample statistics of ${stage.stage}</summary>
      <div class="summaries">${tables}</div>
      <p>
        <small
          >These statistics do not affect the ranking. Outliers are unusually slow calls; they are counted, not
          removed.</small
        >
      </p>
    </details>`;
}

function summaryTable(result: CaseResult): Html | null {
  const summaries = summarizeRounds(result.rounds);
  if (summaries === null) return null;
  const { candidate, reference } = summaries;
  const row = (name: string, show: (summary: SampleSummary) => string): Html =>
    html`<tr>
      <th scope="row">${name}</th>
      <td class="right number">${show(candidate)}</td>
      <td class="right number">${show(reference)}</td>
    </tr>`;
  return html`<table class="summary">
    <caption>
      <code>${caseLine(result.case)}</code
      >, ${formatRounds(result)}
    </caption>
    <thead>
      <tr>
        <td></td>
        <th scope="col" class="right">Submission</th>
        <th scope="col" class="right">Reference</th>
      </tr>
    </thead>
    <tbody>
      ${row("Samples", (summary) => summary.samples.toLocaleString("en-US"))}
      ${row("Mean", (summary) => formatNs(summary.mean))} ${row("Median", (summary) => formatNs(summary.median))}
      ${row("Standard deviation", (summary) => orDash(summary.standardDeviation))}
      ${row("Standard error", (summary) => orDash(summary.standardError))}
      ${row("Fastest", (summary) => formatNs(summary.best))} ${row("Slowest", (summary) => formatNs(summary.worst))}
      ${row("Outliers", outliers)}
    </tbody>
  </table>`;
}

function orDash(ns: number | null): string {
  return ns === null ? "–" : formatNs(ns);
}

/** Formats the number of outliers as `4 (1.3 %)`, or as `0`. */
function outliers({ outliers, samples }: SampleSummary): string {
  return outliers === 0 ? "0" : `${outliers} (${((100 * outliers) / samples).toFixed(1)} %)`;
}
