import { formatNs, formatRatio, formatSpread, type CaseScore } from "@kernelbot/core";
import { html, type Html } from "./html.ts";

type Interval = CaseScore["timeNs"];

/** A time with its 95 % interval: as a percentage on the page, in full on hovering. */
export function timing(interval: Interval): Html {
  return html`<span class="number" title="95 % interval: ${formatNs(interval.low)} to ${formatNs(interval.high)}"
    >${formatNs(interval.value)} <small>${formatSpread(interval)}</small></span
  >`;
}

/** How many times faster than the reference. */
export function speedup(interval: Interval): Html {
  return html`<span class="number" title="95 % interval: ${formatRatio(interval.low)} to ${formatRatio(interval.high)}"
    >${formatRatio(interval.value)}</span
  >`;
}

/** The mark of a result that was judged without isolation. */
export const UNSANDBOXED = html`<strong
  class="mark"
  title="Judged on a machine whose operator turned the sandbox off. This result proves nothing."
  >no sandbox</strong
>`;
