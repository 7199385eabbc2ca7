/**
 * Makes charts answer: point at a place or walk there by the arrow keys to read who and how much, drag to zoom, choose in
 * the legend what is drawn. The drawing library comes when a chart comes into view; until then, and without script, the
 * SVG of the server stands there.
 *
 * Another island may change what a chart draws: `figure.dispatchEvent(new CustomEvent("chart:series", { detail: series }))`.
 */
import type { Chart, ChartSeries } from "../chart.ts";

const seen = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      void enliven(target as HTMLElement);
    }
  },
  { rootMargin: "200px" },
);
for (const figure of document.querySelectorAll("figure.chart")) seen.observe(figure);

async function enliven(figure: HTMLElement): Promise<void> {
  const [{ default: uPlot }, { draw }] = await Promise.all([import("uplot"), import("./chart/draw.ts")]);
  // Written by the server that sent this script.
  const chart = JSON.parse(figure.querySelector("script")?.textContent ?? "{}") as Chart;
  const redraw = draw(uPlot, figure, chart);
  figure.addEventListener("chart:series", (event) => redraw((event as CustomEvent<readonly ChartSeries[]>).detail));
}
