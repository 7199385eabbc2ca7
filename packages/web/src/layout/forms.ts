/** Form parts that work without script. */
import { html, type Html } from "../html.ts";

/** Renders a form that consists of one button. */
export function button(action: string, label: Html | string, hidden: Record<string, string> = {}, quiet = false): Html {
  return html`<form method="post" action="${action}" class="inline">
    ${hiddenFields(hidden)}<button ${quiet ? html`class="quiet"` : null}>${label}</button>
  </form>`;
}

/** Renders hidden fields; undefined values are omitted. */
export function hiddenFields(hidden: Readonly<Record<string, string | undefined>>): Html[] {
  return Object.entries(hidden).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`],
  );
}

/** Renders why a form failed; null if it did not. */
export function problemNotice(problem: string | undefined): Html | null {
  return problem === undefined ? null : html`<p class="notice bad" role="alert">${problem}</p>`;
}

/** Renders what the last form did; null if there is nothing to report. */
export function doneNotice(done: string | null): Html | null {
  return done === null ? null : html`<p class="notice good" role="status">${done}</p>`;
}

/** Renders a checkbox before its label. */
export function checkbox(name: string, value: string, isChecked: boolean, label: Html | string): Html {
  return html`<label class="choice"
    ><input type="checkbox" name="${name}" value="${value}" ${isChecked ? html`checked` : null} /> ${label}</label
  >`;
}

/** Returns an option of a `select`, selected where its value is the chosen one. */
export function option(value: string, chosen: string | null | undefined, label = value): Html {
  return html`<option value="${value}" ${value === chosen ? html`selected` : null}>${label}</option>`;
}
