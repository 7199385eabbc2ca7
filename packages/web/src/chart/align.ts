import type { ChartPoint, ChartSeries } from "./data.ts";

export interface Aligned {
  /** All x values in ascending order, each as often as in the series that has the most points there. */
  xs: number[];
  /** For each series, its point at each x value, or null. */
  columns: (ChartPoint | null)[][];
}

/**
 * Aligns the points of all series to one list of x values, as uPlot requires. The last step of a step series is
 * extended to the end.
 */
export function align(series: readonly Pick<ChartSeries, "points" | "kind">[]): Aligned {
  const most = new Map<number, number>();
  for (const { points } of series) {
    for (const [x, count] of counts(points)) most.set(x, Math.max(most.get(x) ?? 0, count));
  }
  const xCounts = [...most].toSorted(([a], [b]) => a - b);
  const xs = xCounts.flatMap(([x, count]) => Array<number>(count).fill(x));
  const firsts = new Map(xs.map((x, at) => [x, at] as const).toReversed());
  return { xs, columns: series.map((each) => column(each, xs, firsts)) };
}

function column(
  { points, kind }: Pick<ChartSeries, "points" | "kind">,
  xs: readonly number[],
  firsts: ReadonlyMap<number, number>,
): (ChartPoint | null)[] {
  const found = Array<ChartPoint | null>(xs.length).fill(null);
  const next = new Map(firsts);
  for (const point of points) {
    const at = next.get(point[0]) ?? 0;
    found[at] = point;
    next.set(point[0], at + 1);
  }
  const [last, end] = [points.at(-1), xs.at(-1)];
  if (kind === "step" && last !== undefined && end !== undefined)
    found[xs.length - 1] ??= [end, last[1], last[2] ?? ""];
  return found;
}

function counts(points: readonly ChartPoint[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const [x] of points) found.set(x, (found.get(x) ?? 0) + 1);
  return found;
}
