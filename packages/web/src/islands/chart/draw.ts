/** Interactive chart: canvas, legend, and the line that describes the point under the pointer. */
import type uPlot from "uplot";
import { align } from "../../chart/align.ts";
import type { Chart, ChartSeries } from "../../chart/data.ts";
import { colours } from "./colours.ts";
import { fillLegend } from "./legend.ts";
import { options } from "./options.ts";
import { reader } from "./reader.ts";

/** Draws a chart, and returns a function that draws other series in place of the current ones. */
export function draw(Plot: typeof uPlot, figure: HTMLElement, chart: Chart): (series: readonly ChartSeries[]) => void {
  const box = figure.querySelector<HTMLElement>(".plot");
  const legend = figure.querySelector<HTMLElement>(".legend");
  if (box === null || legend === null) return () => undefined;
  let series = chart.series;
  const hidden = new Set(series.filter(({ isHidden }) => isHidden).map(({ label }) => label));
  const { line, zoomOut } = tools(figure);
  let plot: uPlot | undefined;
  let zoom: { min: number; max: number } | undefined;

  function show(): void {
    // Series drawn later lie on top, and the first one is to be topmost.
    const shown = series.filter(({ label }) => !hidden.has(label)).toReversed();
    const aligned = align(shown);
    const { width, height } = size();
    plot?.destroy();
    box?.replaceChildren();
    const scales = { ...chart, series: shown };
    const built = new Plot(
      { ...options(Plot, scales, colours(figure)), width, height },
      [aligned.xs, ...aligned.columns.map((column) => column.map((point) => point?.[1] ?? null))],
      box as HTMLElement,
    );
    plot = built;
    reader(built, scales, aligned, line);
    const [first, last] = [aligned.xs[0] ?? 0, aligned.xs.at(-1) ?? 0];
    (built.hooks.setScale ??= []).push((_, key) => {
      const { min = first, max = last } = built.scales["x"] ?? {};
      if (key !== "x") return;
      zoom = min > first || max < last ? { min, max } : undefined;
      zoomOut.hidden = zoom === undefined;
    });
    if (zoom !== undefined) built.setScale("x", zoom);
    zoomOut.onclick = () => built.setScale("x", { min: first, max: last });
  }

  function toggle(label: string): void {
    if (!hidden.delete(label)) hidden.add(label);
    show();
  }

  function size(): { width: number; height: number } {
    return { width: box?.clientWidth ?? 0, height: box?.clientHeight ?? 0 };
  }

  show();
  fillLegend(legend, series, hidden, toggle);
  new ResizeObserver(() => plot?.setSize(size())).observe(box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  new MutationObserver(show).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return (next) => {
    series = next;
    show();
    fillLegend(legend, series, hidden, toggle);
  };
}

/** Adds the line above the plot that describes a point, and the button that zooms out. */
function tools(figure: HTMLElement): { line: HTMLOutputElement; zoomOut: HTMLButtonElement } {
  const row = document.createElement("div");
  row.className = "readout";
  const line = document.createElement("output");
  const zoomOut = document.createElement("button");
  zoomOut.type = "button";
  zoomOut.className = "quiet";
  zoomOut.textContent = "Reset zoom";
  zoomOut.hidden = true;
  row.append(line, zoomOut);
  figure.querySelector(".plot")?.before(row);
  return { line, zoomOut };
}
