import { caseLine, formatRatio, type CaseRelation } from "@kernelbot/core";
import { html, type Html } from "./html.ts";

const WIDTH = 640;
const ROW = 28;
const MARGIN = 12;
/** The scale reaches at least from 1/1.1 to 1.1, so that small differences look small. */
const LEAST_REACH = Math.log(1.1);

/** The ratio of each case with its interval, on a logarithmic scale around equality. Null where no case has a ratio. */
export function ratioChart(cases: readonly CaseRelation[]): Html | null {
  const drawn = cases.flatMap(({ ratio, ...rest }) => (ratio === null ? [] : [{ ...rest, ratio }]));
  if (drawn.length === 0) return null;
  const reach = Math.max(LEAST_REACH, ...drawn.flatMap(({ ratio }) => [ratio.low, ratio.high].map(absoluteLog)));
  const x = (ratio: number) => (WIDTH / 2 + (Math.log(ratio) / reach) * (WIDTH / 2 - MARGIN)).toFixed(1);
  const height = drawn.length * ROW + ROW;
  const edge = formatRatio(Math.exp(reach));
  return html`<figure>
    <svg
      class="ratios"
      viewBox="0 0 ${WIDTH} ${height}"
      role="img"
      aria-label="Speed of A over B by case, with 95 % intervals; the line in the middle is equality"
    >
      <line class="axis" x1="${x(1)}" x2="${x(1)}" y1="0" y2="${height - ROW}"></line>
      ${drawn.map(({ case: values, ratio, faster }, at) => {
        const y = (at + 0.5) * ROW;
        return html`<g class="${faster === "a" ? "good" : faster === "b" ? "bad" : "open"}">
          <title>${caseLine(values)}: ${formatRatio(ratio.value)}</title>
          <line x1="${x(ratio.low)}" x2="${x(ratio.high)}" y1="${y}" y2="${y}"></line>
          <circle cx="${x(ratio.value)}" cy="${y}" r="4"></circle>
        </g>`;
      })}
      <text x="0" y="${height - 8}">B faster, ${edge}</text>
      <text x="${WIDTH}" y="${height - 8}" text-anchor="end">A faster, ${edge}</text>
    </svg>
  </figure>`;
}

function absoluteLog(ratio: number): number {
  return Math.abs(Math.log(ratio));
}
