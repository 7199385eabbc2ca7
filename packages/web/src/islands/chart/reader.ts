/** Reads values off a chart: the point nearest to the pointer, or the one selected with the arrow keys. */
import type uPlot from "uplot";
import type { Aligned } from "../../chart/align.ts";
import type { Chart, ChartPoint } from "../../chart/data.ts";
import { formatValue } from "../../chart/scale.ts";

interface Position {
  series: number;
  at: number;
}

export function reader(plot: uPlot, chart: Chart, { xs, columns }: Aligned, line: HTMLElement): void {
  const mark = document.createElement("div");
  mark.className = "mark-point";
  mark.hidden = true;
  plot.over.append(mark);
  plot.over.tabIndex = 0;
  plot.over.setAttribute("role", "application");
  plot.over.setAttribute("aria-label", `${chart.title}: use the arrow keys to read its points`);
  let here: Position | undefined;

  const pointAt = ({ series, at }: Position): ChartPoint | null => columns[series]?.[at] ?? null;
  const left = (x: number): number => plot.valToPos(x, "x");
  const top = (y: number): number => plot.valToPos(y, "y");

  function read(position: Position | undefined): void {
    here = position;
    const point = position === undefined ? null : pointAt(position);
    const series = position === undefined ? undefined : chart.series[position.series];
    mark.hidden = point === null;
    if (point === null || series === undefined) {
      line.textContent = "Hover over the chart to read values; drag to zoom.";
      return;
    }
    mark.className = `mark-point tone-${series.tone}`;
    mark.style.transform = `translate(${left(point[0])}px, ${top(point[1])}px)`;
    line.textContent = [formatValue(point[1], chart.unit), series.label, point[2], formatX(point[0], chart)]
      .filter((part) => part !== undefined && part !== "")
      .join(" · ");
  }

  /** Returns the point nearest to a position in the plot, in pixels. */
  function nearest(x: number, y: number): Position | undefined {
    const { min = 0, max = 0 } = plot.scales["x"] ?? {};
    let found: Position | undefined;
    let least = Infinity;
    columns.forEach((column, series) =>
      column.forEach((point, at) => {
        if (point === null || point[0] < min || point[0] > max) return;
        const away = Math.hypot(left(point[0]) - x, top(point[1]) - y);
        // Of points at one position, the topmost is chosen.
        if (away <= least) [least, found] = [away, { series, at }];
      }),
    );
    return found;
  }

  /** Returns the next point of the same series, or the nearest one of the next series. */
  function walk(key: string): Position | undefined {
    const position = here ?? { series: columns.length - 1, at: key === "ArrowLeft" ? xs.length : -1 };
    if (key === "ArrowUp" || key === "ArrowDown") {
      const by = key === "ArrowDown" ? -1 : 1;
      const series = (position.series + by + columns.length) % columns.length;
      return nearestOf(series, position.at);
    }
    const by = key === "ArrowLeft" ? -1 : 1;
    for (let at = position.at + by; at >= 0 && at < xs.length; at += by) {
      if (pointAt({ ...position, at }) !== null) return { ...position, at };
    }
    return here;
  }

  function nearestOf(series: number, at: number): Position | undefined {
    const positions = columns[series]?.flatMap((point, index) => (point === null ? [] : [index])) ?? [];
    const found = positions.toSorted((a, b) => Math.abs(a - at) - Math.abs(b - at))[0];
    return found === undefined ? here : { series, at: found };
  }

  plot.over.addEventListener("mousemove", (event) => read(nearest(event.offsetX, event.offsetY)));
  plot.over.addEventListener("mouseleave", () => read(undefined));
  plot.over.addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(event.key)) return;
    event.preventDefault();
    read(walk(event.key));
  });
  read(undefined);
}

function formatX(x: number, { xs, xLabel }: Chart): string {
  if (xs === "time") return `${new Date(x).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return `${xLabel === undefined ? "" : `${xLabel} `}${x.toLocaleString("en-US")}`;
}
