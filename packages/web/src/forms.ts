/** Forms: buttons and fields that work without script. */
import { html, type Html } from "./html.ts";

/** A form that is one button. */
export function button(action: string, label: Html | string, hidden: Record<string, string> = {}, quiet = false): Html {
  return html`<form method="post" action="${action}" class="inline">
    ${hiddenFields(hidden)}<button ${quiet ? html`class="quiet"` : null}>${label}</button>
  </form>`;
}

export function hiddenFields(hidden: Record<string, string>): Html[] {
  return Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);
}
