/**
 * Charts. A page says what it draws as data; the server draws it as SVG, complete without script, and the island `chart`
 * draws the same data so that one can point at it, zoom, and choose what is shown.
 *
 *     chart({
 *       title: "Best over time",
 *       summary: "From 12.3 µs on 1 March to 2.3 µs by ada on 5 May, 7 records.",
 *       xs: "time",
 *       unit: "ns",
 *       series: [{ label: "Record", kind: "step", tone: "record", points: [[Date.parse("2026-03-01"), 12_300, "ada"]] }],
 *     })
 *
 * A page that has one asks for the island by `islands: ["chart"]`.
 */
import { raw } from "hono/html";
import type { Chart } from "./chart/data.ts";
import { plot } from "./chart/plot.ts";
import { html, type Html } from "./html.ts";

/** A chart in a page; nothing where no series has a point. `id` keeps it apart from others of the page. */
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

/** JSON that cannot end the script element which it stands in, nor begin a comment there. */
export function scriptJson(data: unknown): string {
  return JSON.stringify(data).replaceAll("<", "\\u003c");
}
