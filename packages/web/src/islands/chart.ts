/**
 * Makes charts answer: point at a place or walk there by the arrow keys to read who and how much, drag to zoom, choose in
 * the legend what is drawn. The drawing library comes when a chart comes into view; until then, and without script, the
 * SVG of the server stands there.
 *
 * Where the island `live` brings new data, they are drawn in place of the old.
 */
import type { Chart } from "../chart/data.ts";

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
  const redraw = draw(uPlot, figure, chartOf(figure));
  figure.addEventListener("live:fresh", (event) => {
    const { detail: fresh } = event as CustomEvent<HTMLElement>;
    const caption = fresh.querySelector("figcaption");
    if (caption === null) return;
    event.preventDefault();
    figure.querySelector("figcaption")?.replaceWith(caption.cloneNode(true));
    redraw(chartOf(fresh).series);
  });
}

/** Written by the server that sent this script. */
function chartOf(figure: HTMLElement): Chart {
  return JSON.parse(figure.querySelector("script")?.textContent ?? "{}") as Chart;
}
