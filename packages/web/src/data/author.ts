/** Progression of one author on each board. */
import { formatBest, type ProgressStep } from "@kernelbot/core";
import { chart } from "../chart/chart.ts";
import type { ChartPoint } from "../chart/data.ts";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";
import { analysisPath, tablePath } from "./paths.ts";
import type { AnalysisPage } from "./analysis-page-data.ts";

/** Maximum number of boards with a chart. */
const MAX_CHARTS = 8;

/** Renders the progression; null if no author is requested. */
export function author(id: number, competition: string, user: AnalysisPage["user"]): Html | null {
  if (user === null) return null;
  const boards = [...Map.groupBy(user.steps, ({ problem, target }) => `${problem} on ${target}`)];
  return html`<section aria-labelledby="author">
    <h2 id="author">Progression of ${user.name}</h2>
    <p>
      ${count(new Set(user.steps.map((step) => step.submissionId)).size, "submission", "submissions")} to
      ${count(boards.length, "leaderboard", "leaderboards")}. <a href="${analysisPath(id, competition)}">Close</a>
    </p>
    ${boards.slice(0, MAX_CHARTS).map(([board, steps], at) => progression(board, steps, at))}
    <p class="downloads">
      <small
        >Download as <a href="${tablePath(id, competition, "progression", "csv", user.id)}">CSV</a> or
        <a href="${tablePath(id, competition, "progression", "json", user.id)}">JSON</a></small
      >
    </p>
  </section>`;
}

function progression(board: string, steps: readonly ProgressStep[], at: number): Html {
  const isByTime = steps.every(({ bestRankedBy }) => bestRankedBy === null);
  const timed = steps.flatMap(({ submittedAt, scoreNs, rankedBy }): ChartPoint[] => {
    const value = isByTime ? scoreNs : (rankedBy?.value ?? null);
    return value === null ? [] : [[Date.parse(submittedAt), value]];
  });
  const best = steps.flatMap(({ submittedAt, bestNs, bestRankedBy }): ChartPoint[] => {
    const value = isByTime ? bestNs : (bestRankedBy?.value ?? null);
    return value === null ? [] : [[Date.parse(submittedAt), value]];
  });
  const failed = steps.filter(({ passed }) => passed === false).length;
  const { bestNs = null, bestRankedBy = null } = steps.at(-1) ?? {};
  const ends = bestNs === null ? "no result yet" : `best result ${formatBest(bestNs, bestRankedBy)}`;
  const summary = `${count(steps.length, "run", "runs")}, ${failed} failed, ${ends}.`;
  // A chart needs at least two points in time.
  if (new Set(timed.map(([at]) => at)).size < 2) return html`<p><strong>${board}</strong>: ${summary}</p>`;
  const drawn = chart(
    {
      title: board,
      summary,
      xs: "time",
      unit: isByTime ? "ns" : bestRankedBy?.ranking === "speedup" ? "ratio" : "count",
      series: [
        { label: "Best so far", kind: "step", tone: "one", points: best },
        { label: "All runs", kind: "points", tone: "quiet", points: timed },
      ],
    },
    `progression-${at}`,
  );
  return html`${drawn}`;
}
