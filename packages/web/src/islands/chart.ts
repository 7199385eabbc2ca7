/**
 * Makes charts interactive: pointing or the arrow keys read values, dragging zooms, and the legend selects series. The
 * drawing library is loaded when a chart comes into view; until then, and without script, the server's SVG is shown.
 *
 * Where the island `live` brings new data, the chart draws the new data in place of the old.
 */
import type { Chart } from "../chart/data.ts";

const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      void makeInteractive(target as HTMLElement);
    }
  },
  { rootMargin: "200px" },
);
for (const figure of document.querySelectorAll("figure.chart")) observer.observe(figure);

async function makeInteractive(figure: HTMLElement): Promise<void> {
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

/** Returns the chart's data, which is not validated because the server that sent this script wrote it. */
function chartOf(figure: HTMLElement): Chart {
  return JSON.parse(figure.querySelector("script")?.textContent ?? "{}") as Chart;
}
