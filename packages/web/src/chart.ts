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
import { plot } from "./chart/plot.ts";
import { html, type Html } from "./html.ts";

/** Of what the values are, up the chart: times in ns, ratios such as speed-ups, shares of 1, plain numbers. */
export type ChartUnit = "ns" | "ratio" | "share" | "count";

/** A colour by what it means: the record, one of five that are told apart, or what stands behind. */
export const TONES = ["record", "one", "two", "three", "four", "five", "quiet"] as const;
export type ChartTone = (typeof TONES)[number];

/** Where along, how high, and what to say of it besides: who it is of, which submission. */
export type ChartPoint = readonly [x: number, y: number, note?: string];

export interface ChartSeries {
  /** Who or what it is of; no two of a chart have the same. */
  label: string;
  /** In order along the chart. Several may stand at one place. */
  points: readonly ChartPoint[];
  /** A step keeps its value until the next point, and the last one to the end of the chart. */
  kind: "step" | "line" | "points";
  tone: ChartTone;
  /** Offered beside the others, and drawn once it is chosen. */
  isHidden?: boolean;
}

export interface Chart {
  title: string;
  /** What the chart shows, in words: stands under the title, and is all that some readers have of it. */
  summary: string;
  /** What lies along: moments in milliseconds of UTC, or numbers. */
  xs: "time" | "number";
  /** What a number along counts, such as `round`. */
  xLabel?: string;
  unit: ChartUnit;
  series: readonly ChartSeries[];
}

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
