/** Small server-rendered bar charts of values over time, such as counts per hour or per week. */
import { html, type Html } from "../html.ts";

export interface Bars {
  title: string;
  /** Description of the chart in words. */
  summary: string;
  /** Bars from left to right, each with its tooltip; the value is null where there is no data. */
  bars: readonly { value: number | null; tooltip: string }[];
  /** Labels under the first and the last bar. */
  ends: readonly [first: string, last: string];
  tone?: "care";
}

const STEP = 10;
const GAP = 2;
const HEIGHT = 48;
/** Minimum height of a non-zero bar in viewBox units, so that the bar is visible. */
const MIN_BAR_HEIGHT = 2;

export function bars({ title, summary, bars, ends, tone }: Bars): Html {
  const max = Math.max(...bars.map(({ value }) => value ?? 0));
  const height = (value: number): number => Math.max(MIN_BAR_HEIGHT, Math.round((value / max) * HEIGHT));
  return html`<figure class="bars ${tone ?? ""}">
    <figcaption><strong>${title}</strong> ${summary}</figcaption>
    <svg viewBox="0 0 ${bars.length * STEP} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
      ${bars.map(({ value, tooltip }, at) => {
        const barHeight = value === null || value === 0 ? 0 : height(value);
        return html`<g>
          <title>${tooltip}</title>
          <rect class="track" x="${at * STEP}" y="0" width="${STEP}" height="${HEIGHT}"></rect>
          ${barHeight === 0 ? null : html`<rect x="${at * STEP}" y="${HEIGHT - barHeight}" width="${STEP - GAP}" height="${barHeight}"></rect>`}
        </g>`;
      })}
    </svg>
    <p class="axis-ends" aria-hidden="true"><span>${ends[0]}</span><span>${ends[1]}</span></p>
  </figure>`;
}
