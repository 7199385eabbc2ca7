/** Fields of a submission other than its source, and the submit buttons. */
import { AUTHOR_KINDS, LICENCES, type AuthorKind, type Mode, type SubmissionTerms } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { moment } from "../layout/format.ts";
import type { EditorFields } from "./page-data.ts";
import { option } from "../layout/forms.ts";

/** ID of the form that the fields belong to, including those placed outside it. */
export const FORM = "editor";

/** Renders the targets: fields of the form that are placed outside it, next to its buttons. */
export function targets({ targets }: SubmissionTerms, chosen: readonly string[]): Html {
  return html`<fieldset class="targets">
    <legend>Targets</legend>
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

const AUTHOR_LABELS: Record<AuthorKind, string> = {
  undeclared: "Not declared",
  human: "Human",
  assisted: "Human with a model",
  autonomous: "Model only",
};

export function authorFields({ author, model }: EditorFields): Html {
  return html`<label>
      Author
      <select name="author" autocomplete="off">
        ${AUTHOR_KINDS.map((kind) => option(kind, author, AUTHOR_LABELS[kind]))}
      </select>
    </label>
    <label>
      Model, if one was used
      <input name="model" value="${model}" maxlength="100" autocomplete="off" />
    </label>`;
}

/** Renders the choice of the licence for publication. */
export function licenceField({ licence }: SubmissionTerms, chosen: string): Html {
  const choices: [value: string, label: string][] = [
    ["", `Default: ${licence ?? "do not publish"}`],
    ["none", "Do not publish"],
    ...LICENCES.map((each): [string, string] => [each, each]),
  ];
  return html`<label>
    Publication licence
    <select name="licence" autocomplete="off">
      ${choices.map(([value, label]) => option(value, chosen, label))}
    </select>
  </label>`;
}

/** Renders a notice if the viewer may not submit to the competition; null otherwise. */
export function membersOnly({ competition, mayTakePart }: SubmissionTerms): Html | null {
  if (mayTakePart || competition === null) return null;
  return html`<p class="notice care">
    Only members can submit to ${competition.title}. Join it with an invite code first.
  </p>`;
}

/** Renders the licence that a competition requires of ranked submissions; null if it requires none. */
export function licenceRule({ competition }: SubmissionTerms): Html | null {
  if (competition?.licence == null) return null;
  return html`<p>
    Ranked submissions to ${competition.title} are published under <strong>${competition.licence}</strong>. By
    submitting in ranked mode you agree to this.
  </p>`;
}

interface Button {
  name: string;
  description: string;
  keys: string | null;
}

const BUTTONS: Record<Exclude<Mode, "duel">, Button> = {
  test: { name: "Test", description: "Checks correctness on the test cases.", keys: "Ctrl+Enter" },
  benchmark: { name: "Benchmark", description: "Checks and times the benchmark cases, without ranking.", keys: null },
  ranked: {
    name: "Submit",
    description:
      "Checks the kernel, times it on secret inputs and enters it on the leaderboard. Only your best submission counts.",
    keys: "Ctrl+Shift+Enter",
  },
  profile: { name: "Profile", description: "Shows where the kernel spends its time.", keys: null },
  application: {
    name: "In use",
    description: "Runs the kernel in an application of the problem, to show whether it works in use.",
    keys: null,
  },
};

/** Renders a button for each mode with its description. The Enter key presses the first one. */
export function modes({ ranked, profiles, hasApplication }: SubmissionTerms): Html {
  const isOffered: Partial<Record<Mode, boolean>> = { profile: profiles, application: hasApplication };
  const shown = Object.entries(BUTTONS).filter(([mode]) => isOffered[mode as Mode] ?? true);
  return html`<div class="modes">
    ${shown.map(([mode, { name, description, keys }]) => {
      const isClosed = mode === "ranked" && ranked.state !== "open";
      return html`<button
          name="mode"
          value="${mode}"
          form="${FORM}"
          aria-describedby="mode-${mode}"
          class="${mode === "test" ? "" : "quiet"}"
          ${isClosed ? "disabled" : null}
        >
          ${name}
        </button>
        <p id="mode-${mode}">
          ${isClosed ? closedReason(ranked) : description} ${mode === "ranked" ? rankedTargets(ranked) : null}
          ${keys === null ? null : html`<kbd class="needs-script">${keys}</kbd>`}
        </p>`;
    })}
  </div>`;
}

/** Renders the targets on which the submission is ranked; null if they are all or ranking is closed. */
function rankedTargets({ state, targets }: SubmissionTerms["ranked"]): Html | null {
  return state !== "open" || targets === null ? null : html`Ranked on ${targets.join(", ")}.`;
}

/** Renders why ranked submissions are not accepted now. */
function closedReason({ state, opensAt, closesAt }: SubmissionTerms["ranked"]): Html {
  const at = (moment_: string | null): Html | string => (moment_ === null ? "" : moment(moment_));
  return state === "before"
    ? html`Ranked submissions are accepted from ${at(opensAt)} UTC. Until then, use the other modes.`
    : html`Closed since ${at(closesAt)} UTC: the leaderboard is final. The other modes still work.`;
}
