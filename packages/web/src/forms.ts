/** Forms: buttons and fields that work without script. */
import { html, type Html } from "./html.ts";

/** A form that is one button. */
export function button(action: string, label: Html | string, hidden: Record<string, string> = {}, quiet = false): Html {
  return html`<form method="post" action="${action}" class="inline">
    ${hiddenFields(hidden)}<button ${quiet ? html`class="quiet"` : null}>${label}</button>
  </form>`;
}

/** What goes with a form unseen; what is undefined does not. */
export function hiddenFields(hidden: Readonly<Record<string, string | undefined>>): Html[] {
  return Object.entries(hidden).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`],
  );
}

/** Why a form could not do what it was to do. */
export function problemNotice(problem: string | undefined): Html | null {
  return problem === undefined ? null : html`<p class="notice bad" role="alert">${problem}</p>`;
}

/** What was done last, on the page that it led to. */
export function doneNotice(done: string | null): Html | null {
  return done === null ? null : html`<p class="notice good" role="status">${done}</p>`;
}
