/** Fields of a submission other than its source, and the submit buttons. */
import { AUTHOR_KINDS, LICENCES, type AuthorKind, type Mode, type SubmissionTerms } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { moment } from "../layout/format.ts";
import type { EditorFields } from "./page-data.ts";

/** ID of the form that the fields belong to, including those placed outside it. */
export const FORM = "editor";

/** Renders the targets: fields of the form that are placed outside it, next to its buttons. */
export function targets({ targets }: SubmissionTerms, chosen: readonly string[]): Html {
  return html`<fieldset class="targets">
    <legend>On</legend>
    ${targets.map(
      (target) =>
        html`<label class="choice"
          ><input
            type="checkbox"
            name="target"
            value="${target}"
            form="${FORM}"
            ${chosen.includes(target) ? "checked" : null}
          />${target}</label
        >`,
    )}
  </fieldset>`;
}

const AUTHOR_WORDS: Record<AuthorKind, string> = {
  undeclared: "not said",
  human: "a person",
  assisted: "a person and a model",
  autonomous: "a model by itself",
};

export function authorFields({ author, model }: EditorFields): Html {
  return html`<label>
      Written by
      <select name="author" autocomplete="off">
        ${AUTHOR_KINDS.map(
          (kind) => html`<option value="${kind}" ${kind === author ? "selected" : null}>${AUTHOR_WORDS[kind]}</option>`,
        )}
      </select>
    </label>
    <label>
      Model, where one wrote
      <input name="model" value="${model}" maxlength="100" autocomplete="off" />
    </label>`;
}

/** Renders the choice of the licence for publication. */
export function licenceField({ licence }: SubmissionTerms, chosen: string): Html {
  const choices: [value: string, words: string][] = [
    ["", `as my account says: ${licence === null ? "not" : `under ${licence}`}`],
    ["none", "not"],
    ...LICENCES.map((each): [string, string] => [each, `under ${each}`]),
  ];
  return html`<label>
    May be published
    <select name="licence" autocomplete="off">
      ${choices.map(
        ([value, words]) => html`<option value="${value}" ${value === chosen ? "selected" : null}>${words}</option>`,
      )}
    </select>
  </label>`;
}

/** Renders a notice if the viewer may not submit to the competition; null otherwise. */
export function membersOnly({ competition, mayTakePart }: SubmissionTerms): Html | null {
  if (mayTakePart || competition === null) return null;
  return html`<p class="notice care">
    ${competition.title} takes submissions of its members alone: join it with an invite code first.
  </p>`;
}

/** Renders the licence that a competition requires of ranked submissions; null if it requires none. */
export function licenceRule({ competition }: SubmissionTerms): Html | null {
  if (competition?.licence == null) return null;
  return html`<p>
    Ranked submissions to ${competition.title} are published under <strong>${competition.licence}</strong>: to rank one
    is to agree.
  </p>`;
}

interface Button {
  name: string;
  does: string;
  keys: string | null;
}

const BUTTONS: Record<Exclude<Mode, "duel">, Button> = {
  test: { name: "Test", does: "Checks the result on the test cases.", keys: "Ctrl+Enter" },
  benchmark: { name: "Benchmark", does: "Checks and times the benchmark cases; enters no board.", keys: null },
  ranked: {
    name: "Rank",
    does: "Checks it, times it on secret inputs and enters the board. Your best one counts, so a slower one costs nothing.",
    keys: "Ctrl+Shift+Enter",
  },
  profile: { name: "Profile", does: "Says where the time goes.", keys: null },
};

/** Renders a button for each mode with its description. The Enter key presses the first one. */
export function modes({ ranked, profiles }: SubmissionTerms): Html {
  const shown = Object.entries(BUTTONS).filter(([mode]) => mode !== "profile" || profiles);
  return html`<div class="modes">
    ${shown.map(([mode, { name, does, keys }]) => {
      const isShut = mode === "ranked" && ranked.state !== "open";
      return html`<button
          name="mode"
          value="${mode}"
          form="${FORM}"
          aria-describedby="mode-${mode}"
          class="${mode === "test" ? "" : "quiet"}"
          ${isShut ? "disabled" : null}
        >
          ${name}
        </button>
        <p id="mode-${mode}">
          ${isShut ? shut(ranked) : does} ${mode === "ranked" ? where(ranked) : null}
          ${keys === null ? null : html`<kbd class="needs-script">${keys}</kbd>`}
        </p>`;
    })}
  </div>`;
}

/** Renders the targets on which the submission is ranked; null if they are all or ranking is closed. */
function where({ state, targets }: SubmissionTerms["ranked"]): Html | null {
  return state !== "open" || targets === null ? null : html`Ranked on ${targets.join(", ")}.`;
}

/** Renders why ranked submissions are not accepted now. */
function shut({ state, opensAt, closesAt }: SubmissionTerms["ranked"]): Html {
  const at = (moment_: string | null): Html | string => (moment_ === null ? "" : moment(moment_));
  return state === "before"
    ? html`Ranked submissions are taken from ${at(opensAt)} UTC on; until then try it by the other buttons.`
    : html`Closed since ${at(closesAt)} UTC: the board is final. The other buttons go on working.`;
}
