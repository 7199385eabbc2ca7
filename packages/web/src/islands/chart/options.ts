import type uPlot from "uplot";
import type { Chart } from "../../chart/data.ts";
import { formatXTicks, isLog, xScale, formatTick, ticks, timeTicks, yScale } from "../../chart/scale.ts";
import type { Colours } from "./colours.ts";

/** Space for a label of the x and of the y axis, in pixels. */
const WORD_ALONG = 56;
const WORD_UP = 42;
/** Margins of the axes in pixels, as in the SVG (`style/chart.css`). */
const LEFT = 64;
const BOTTOM = 28;

/** Returns the options of uPlot: scales and ticks of the SVG, in the colours of the page. */
export function options(Plot: typeof uPlot, chart: Chart, colours: Colours): Omit<uPlot.Options, "width" | "height"> {
  const logarithmic = isLog(chart);
  const isTime = chart.xs === "time";
  const axis = { stroke: colours.text, font: colours.font, ticks: { show: false } };
  return {
    padding: [8, 12, 0, 0],
    legend: { show: false },
    cursor: { points: { show: false }, y: false, drag: { x: true, y: false } },
    scales: {
      // For a single position, uPlot passes a range of its own, which begins at zero.
      x: {
        time: false,
        range: ({ data: [xs] }, low, high) => ends(xScale(xs.length === 1 ? [...xs] : [low, high], chart.xs)),
      },
      y: {
        // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- its enum of 1 and 3 is only in types
        distr: logarithmic ? 3 : 1,
        range: (_, low, high) => ends(yScale([low, high].map(Number), logarithmic)),
      },
    },
    axes: [
      {
        ...axis,
        size: BOTTOM,
        grid: { show: false },
        splits: (plot, _, low, high) => {
          const most = Math.min(8, fitting(plot.over.clientWidth, WORD_ALONG));
          return (isTime ? timeTicks : ticks)({ low, high, isLog: false }, most);
        },
        values: (_, splits) => formatXTicks(splits, chart),
      },
      {
        ...axis,
        size: LEFT,
        grid: { stroke: colours.grid, width: 1 },
        splits: (plot, _, low, high) =>
          ticks({ low, high, isLog: logarithmic }, fitting(plot.over.clientHeight, WORD_UP)),
        filter: (_, splits) => splits,
        values: (_, splits) => splits.map((value) => formatTick(value, chart.unit)),
      },
    ],
    series: [
      {},
      ...chart.series.map(({ label, kind, tone, points }): uPlot.Series => {
        const stroke = colours.tones[tone];
        if (kind === "points")
          return { label, stroke, paths: () => null, points: { show: true, size: 5, fill: stroke, width: 0 } };
        const stepped = kind === "step" ? Plot.paths.stepped?.({ align: 1 }) : undefined;
        return {
          label,
          stroke,
          width: tone === "record" ? 2.5 : 1.5,
          spanGaps: true,
          // A line of one point is invisible.
          points: { show: points.length === 1, size: 5, fill: stroke, width: 0 },
          ...(stepped === undefined ? {} : { paths: stepped }),
        };
      }),
    ],
  };
}

function fitting(room: number, each: number): number {
  return Math.max(2, Math.round(room / each));
}

function ends({ low, high }: { low: number; high: number }): [number, number] {
  return [low, high];
}
