import { formatNs, formatRatio, formatSpread, type CaseScore } from "@kernelbot/core";
import { html, type Html } from "./html.ts";

type Interval = CaseScore["timeNs"];

/** A time with its 95 % interval: as a percentage on the page, in full on hovering. */
export function timing(interval: Interval): Html {
  // An interval without width is one that is not known.
  if (interval.low === interval.high) return html`<span class="number">${formatNs(interval.value)}</span>`;
  return html`<span class="number" title="95 % interval: ${formatNs(interval.low)} to ${formatNs(interval.high)}"
    >${formatNs(interval.value)} <small>${formatSpread(interval)}</small></span
  >`;
}

/** How many times faster than the reference; a dash where no reference was timed. */
export function speedup(interval: Interval | null): Html {
  if (interval === null) return NONE;
  return html`<span class="number" title="95 % interval: ${formatRatio(interval.low)} to ${formatRatio(interval.high)}"
    >${formatRatio(interval.value)}</span
  >`;
}

/** In place of a figure that there is not. */
export const NONE = html`<span class="number">–</span>`;

/** The marks that stand beside a score. */
export function marks({ unsandboxed, legacyHarness, imported = false }: Marked): Html {
  return html`${unsandboxed ? UNSANDBOXED : null} ${legacyHarness ? LEGACY_HARNESS : null} ${imported ? IMPORTED : null}`;
}

interface Marked {
  unsandboxed: boolean;
  legacyHarness: boolean;
  imported?: boolean;
}

/** The mark of a result that was judged without isolation. */
export const UNSANDBOXED = html`<strong
  class="mark"
  title="Judged on a machine whose operator turned the sandbox off. This result proves nothing."
  >no sandbox</strong
>`;

/** The mark of a result that the problem's own harness reports. */
const LEGACY_HARNESS = html`<strong
  class="mark"
  title="The problem's own harness checked and timed this, in processes that the submission shares. The judge vouches for neither."
  >legacy harness</strong
>`;

/** The mark of a result that was judged elsewhere. */
export const IMPORTED = html`<span
  class="badge"
  title="Imported: the harness of that time judged it. Nothing is known of its samples, so its time has no interval."
  >imported</span
>`;
