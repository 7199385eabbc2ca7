import { caseLine, formatRatio, type CaseRelation } from "@kernelbot/core";
import { html, type Html } from "../html.ts";

/** Natural logarithm of the minimum range: from 1/1.1 to 1.1, so that small differences look small. */
const LEAST_REACH = Math.log(1.1);
/** Margin at each end for the points, out of a width of 100 units. */
const MARGIN = 3;

/**
 * Renders the ratio of each case with its confidence interval, on a logarithmic scale around equality. Each case is a
 * list item with a drawing that takes the available width, so that its text has the size of the page's. Null if no case
 * has a ratio.
 */
export function ratioChart(cases: readonly CaseRelation[]): Html | null {
  const drawn = cases.flatMap(({ ratio, ...rest }) => (ratio === null ? [] : [{ ...rest, ratio }]));
  if (drawn.length === 0) return null;
  const reach = Math.max(LEAST_REACH, ...drawn.flatMap(({ ratio }) => [ratio.low, ratio.high].map(absoluteLog)));
  const x = (ratio: number) => (50 + (Math.log(ratio) / reach) * (50 - MARGIN)).toFixed(2);
  const edge = formatRatio(Math.exp(reach));
  return html`<figure class="ratios">
    <ul class="plain">
      ${drawn.map(
        ({ case: values, ratio, faster }) =>
          html`<li class="${faster === "a" ? "good" : faster === "b" ? "bad" : "open"}">
            <code>${caseLine(values)}</code>
            <svg viewBox="0 0 100 20" preserveAspectRatio="none" aria-hidden="true">
              <path class="axis" d="M50 0V20"></path>
              <path d="M${x(ratio.low)} 10H${x(ratio.high)}"></path>
              <path class="point" d="M${x(ratio.value)} 10h0"></path>
            </svg>
            <span class="number">${formatRatio(ratio.value)}</span>
          </li>`,
      )}
    </ul>
    <p class="scale"><span>B faster, ${edge}</span> <span>A faster, ${edge}</span></p>
    <figcaption>
      Speed of A relative to B by case, with 95 % confidence intervals. The centre line means equal speed.
    </figcaption>
  </figure>`;
}

function absoluteLog(ratio: number): number {
  return Math.abs(Math.log(ratio));
}
