import {
  formatRankedBy,
  formatNs,
  formatRatio,
  formatSpread,
  marksOf,
  NOISY_MEANS,
  RANKING_NAMES,
  type CaseScore,
  type Mark,
  type Marked,
  type RankedResult,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";

type Interval = CaseScore["timeNs"];

/** Renders a time with its 95 % confidence interval: as a percentage on the page, in full as a tooltip. */
export function timing(interval: Interval): Html {
  // An interval of zero width means that the interval is unknown.
  if (interval.low === interval.high) return html`<span class="number">${formatNs(interval.value)}</span>`;
  return html`<span
    class="number"
    title="95 % confidence interval: ${formatNs(interval.low)} to ${formatNs(interval.high)}"
    >${formatNs(interval.value)} <small>${formatSpread(interval)}</small></span
  >`;
}

/** Renders the time of a result, after the value that ranks if its board does not rank by time. */
export function result({ timeNs, rankedBy }: RankedResult): Html {
  if (rankedBy == null) return timing(timeNs);
  const { ranking, low, high } = rankedBy;
  return html`<strong
      class="number"
      title="${RANKING_NAMES[ranking]}, by which the leaderboard ranks. 95 % confidence interval: ${formatRankedBy({ ranking, value: low })} to ${formatRankedBy({ ranking, value: high })}"
      >${ranking === "speedup" ? html`${formatRankedBy(rankedBy)} <small>speedup</small>` : html`<small>score</small> ${formatRankedBy(rankedBy)}`}</strong
    >
    ${timing(timeNs)}`;
}

/** Renders the speedup over the reference; a dash if no reference was timed. */
export function speedup(interval: Interval | null): Html {
  if (interval === null) return NONE;
  return html`<span
    class="number"
    title="95 % confidence interval: ${formatRatio(interval.low)} to ${formatRatio(interval.high)}"
    >${formatRatio(interval.value)}</span
  >`;
}

/** Dash in place of a missing figure. */
export const NONE = html`<span class="number">–</span>`;

/** Renders the marks next to a result. */
export function marks(result: Marked): Html {
  return html`${marksOf(result).map((mark) => html`${MARKS[mark]} `)}`;
}

/** Mark of a result that was judged without a sandbox. */
export const UNSANDBOXED = html`<strong
  class="mark"
  title="Judged with the sandbox turned off by the operator of the runner. This result cannot be trusted."
  >no sandbox</strong
>`;

/** Mark of a result that the problem's own harness reported. */
const LEGACY_HARNESS = html`<strong
  class="mark"
  title="Checked and timed by the problem's own harness, in the same processes as the submission. The judge does not verify this result."
  >legacy harness</strong
>`;

/** Mark of a result whose interval is too wide for a measurement. */
const NOISY = html`<span class="badge care" title="${NOISY_MEANS}">noisy</span>`;

/** Mark of an entry that an organiser made after the deadline. */
const LATE_ENTRY = html`<span class="badge" title="Entered by an organiser after the deadline.">late entry</span>`;

/** Mark of a result that was judged elsewhere and imported. */
export const IMPORTED = html`<span
  class="badge"
  title="Imported from another platform, which judged it. Its samples are unknown, so its runtime has no confidence interval."
  >imported</span
>`;

const MARKS: Record<Mark, Html> = {
  "no sandbox": UNSANDBOXED,
  "legacy harness": LEGACY_HARNESS,
  imported: IMPORTED,
  "late entry": LATE_ENTRY,
  noisy: NOISY,
};
