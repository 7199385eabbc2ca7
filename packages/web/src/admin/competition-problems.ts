/** Form parts: the choice of a competition's problems with their own settings, and a date field. */
import { checkbox } from "../layout/forms.ts";
import { html, type Html } from "../html.ts";
import type { ProblemFields } from "./competition-fields.ts";

export function dateField(name: string, label: string, value: string, need?: "required"): Html {
  const hasSeconds = /T\d\d:\d\d:/.test(value);
  return html`<div>
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="datetime-local"
      ${need === undefined ? null : html`required`}
      value="${value}"
      ${hasSeconds ? html`step="1"` : null}
    />
    <output for="${name}" class="local-time"></output>
  </div>`;
}

export function problemChoice(choices: readonly string[], chosen: readonly ProblemFields[]): Html {
  // Typed problems that cannot be chosen are listed too, so that they can be unchecked.
  const all = [...new Set([...choices, ...chosen.map(({ name }) => name)])].toSorted();
  return html`<fieldset class="problem-choices">
    <legend>
      Problems. Each belongs to at most one competition; a problem without a competition is open for practice.
    </legend>
    ${
      all.length === 0
        ? html`<p class="empty">All problems belong to other competitions.</p>`
        : all.map((name) =>
            problem(
              name,
              chosen.find((each) => each.name === name),
            ),
          )
    }
  </fieldset>`;
}

function problem(name: string, chosen: ProblemFields | undefined): Html {
  const { targets, endsAt, limits } = chosen ?? { targets: "", endsAt: "", limits: "" };
  const [ownTargets, ownLimits] = [`targets:${name}`, `limits:${name}`];
  return html`<div>
    ${checkbox("problem", name, chosen !== undefined, name)}
    <details ${targets === "" && endsAt === "" && limits === "" ? null : html`open`}>
      <summary>Override targets, end and limits<span class="visually-hidden"> of ${name}</span></summary>
      <label for="${ownTargets}">Targets, separated by commas; empty for those of the competition</label>
      <input id="${ownTargets}" name="${ownTargets}" maxlength="5000" value="${targets}" autocomplete="off" />
      ${dateField(`endsAt:${name}`, "Ends, in UTC; empty for the end of the competition", endsAt)}
      <label for="${ownLimits}"
        >Limits, as <code>ranked_per_hour=5, duel_concurrent=1, test_gpu_seconds_per_day=600</code>; empty for those of
        the competition</label
      >
      <input id="${ownLimits}" name="${ownLimits}" maxlength="1000" value="${limits}" autocomplete="off" />
    </details>
  </div>`;
}
