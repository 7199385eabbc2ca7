/**
 * Charts. A page describes a chart as data. The server draws it as SVG, complete without script, and the island `chart`
 * redraws the same data with tooltips, zoom and a choice of series.
 *
 *     chart({
 *       title: "Best runtime over time",
 *       summary: "From 12.3 µs on 1 March to 2.3 µs by ada on 5 May, 7 records.",
 *       xs: "time",
 *       unit: "ns",
 *       series: [{ label: "Record", kind: "step", tone: "record", points: [[Date.parse("2026-03-01"), 12_300, "ada"]] }],
 *     })
 *
 * A page with a chart loads the island with `islands: ["chart"]`.
 */
import { raw } from "hono/html";
import type { Chart } from "./data.ts";
import { plot } from "./plot.ts";
import { html, type Html } from "../html.ts";

/** Renders a chart; null if no series has a point. `id` is unique within the page. */
export function chart(data: Chart, id = "chart"): Html | null {
  if (data.series.every(({ points }) => points.length === 0)) return null;
  return html`<figure class="chart" id="${id}" data-kept>
    <figcaption>
      <strong>${data.title}</strong>
      <span>${data.summary}</span>
    </figcaption>
    <div class="plot">${plot(data)}</div>
    <ul class="legend">
      ${data.series
        .filter(({ isHidden }) => isHidden !== true)
        .map(({ label, tone, kind }) => html`<li class="tone-${tone} ${kind}">${label}</li>`)}
    </ul>
    <script type="application/json">
      ${raw(scriptJson(data))}
    </script>
  </figure>`;
}

/** Returns JSON for a script element: the text can neither close the element nor start an HTML comment. */
function scriptJson(data: unknown): string {
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}
