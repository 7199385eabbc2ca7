/**
 * Static SVG of a chart. Lines stretch with the page and text does not, so text is positioned in percent of the plot.
 */
import { html, type Html } from "../html.ts";
import type { Chart, ChartSeries } from "./data.ts";
import { formatXTicks, isLog, position, xScale, formatTick, ticks, timeTicks, yScale, type Scale } from "./scale.ts";

/** Side of the square in which lines are drawn before it is stretched. */
const SIDE = 1000;
/** Points closer than this in both directions are indistinguishable. */
const NEAREST = 1;
const MAX_X_TICKS = 5;
const MAX_Y_TICKS = 6;

/** Renders the initial state of a chart, without the legend. */
export function plot(chart: Chart): Html {
  const shown = chart.series.filter(({ isHidden, points }) => isHidden !== true && points.length > 0);
  const points = (shown.length > 0 ? shown : chart.series).flatMap(({ points }) => points);
  const along = xScale(
    points.map(([x]) => x),
    chart.xs,
  );
  const up = yScale(
    points.map(([, y]) => y),
    isLog(chart),
  );
  const positions = chart.xs === "time" ? timeTicks(along, MAX_X_TICKS) : ticks(along, MAX_X_TICKS);
  const labels = formatXTicks(positions, chart);
  const levels = ticks(up, MAX_Y_TICKS);
  return html`<svg role="img">
    <title>${chart.title}</title>
    <desc>${chart.summary}</desc>
    <svg width="100%" height="100%" viewBox="0 0 ${SIDE} ${SIDE}" preserveAspectRatio="none" overflow="visible">
      <path class="grid" d="${levels.map((value) => `M0 ${y(up, value)}H${SIDE}`).join("")}"></path>
      ${shown.toReversed().map((series) => html`<path class="tone-${series.tone} ${series.kind}" d="${line(series, along, up)}"></path>`)}
    </svg>
    ${levels.map((value) => html`<text class="up" x="-8" y="${percent(1 - position(up, value))}">${formatTick(value, chart.unit)}</text>`)}
    ${positions.map((value, at) => html`<text class="x-label" x="${percent(position(along, value))}" y="100%">${labels[at]}</text>`)}
  </svg>`;
}

function line({ kind, points }: ChartSeries, along: Scale, up: Scale): string {
  const spots = points.map(([x, value]): Spot => [position(along, x) * SIDE, (1 - position(up, value)) * SIDE]);
  const lines = thin(spots)
    .map(([x, y], index) => {
      const [left, top] = [x.toFixed(1), y.toFixed(1)];
      // A line of zero length with round caps is a dot, however the square is stretched.
      if (kind === "points") return `M${left} ${top}h0`;
      if (index === 0) return `M${left} ${top}`;
      return kind === "step" ? `H${left}V${top}` : `L${left} ${top}`;
    })
    .join("");
  return kind === "step" ? `${lines}H${SIDE}` : lines;
}

/** Position of a point in the square. */
type Spot = readonly [x: number, y: number];

/** Removes points that would coincide with the point before; the last point is always kept. */
function thin(spots: readonly Spot[]): Spot[] {
  const kept: Spot[] = [];
  for (const [index, [x, y]] of spots.entries()) {
    const [left, top] = kept.at(-1) ?? [-SIDE, -SIDE];
    if (Math.abs(x - left) >= NEAREST || Math.abs(y - top) >= NEAREST || index === spots.length - 1) kept.push([x, y]);
  }
  return kept;
}

function y(scale: Scale, value: number): string {
  return ((1 - position(scale, value)) * SIDE).toFixed(1);
}

function percent(part: number): string {
  return `${(part * 100).toFixed(2)}%`;
}
