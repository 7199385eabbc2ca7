/** Badge and notice for frozen boards. */
import type { Freeze } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { moment, momentInBoth } from "../layout/format.ts";

/** Renders the badge of a frozen board; null if the board is not frozen. */
export function freezeBadge(freeze: Freeze | null): Html | null {
  return freeze === null ? null : html`<span class="badge care" title="Frozen until ${freeze.until}">frozen</span>`;
}

/** Renders the notice above a frozen board. */
export function freezeNotice({ since, until }: Freeze): Html {
  return html`<p class="notice care" id="freeze">
    Frozen since ${moment(since)}: later submissions are listed from ${momentInBoth(until)}.
  </p>`;
}
