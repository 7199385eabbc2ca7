/** Admin page that creates or edits a competition. */
import {
  CodeVisibility,
  LICENCES,
  LIMIT_KEYS,
  LIMIT_QUANTITIES,
  Participants,
  Visibility,
  formatTimeLeft,
  type Competition,
  type LimitQuantity,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../layout/page-context.ts";
import type { CompetitionFields } from "./competition-fields.ts";
import { dateField, problemChoice } from "./competition-problems.ts";
import { adminPage, type Outcome } from "./frame.ts";

export interface CompetitionFormPage {
  visit: SignedVisit;
  fields: CompetitionFields;
  /** Competition being edited; null for a new one. */
  competition: Competition | null;
  /** Names of the problems that may be added to the competition. */
  choices: readonly string[];
  now: Date;
  outcome?: Outcome;
}

export function competitionFormPage(shown: CompetitionFormPage): Promise<string> {
  const { visit, competition, now, outcome } = shown;
  const name = competition?.name;
  return adminPage({
    visit,
    title: competition?.title ?? "New competition",
    above: html`<a href="/admin/competitions">Competitions</a>${
        competition === null
          ? null
          : html` · <a href="/competitions/${name}">its page</a> ·
              <a href="/admin/competitions/${name}/invites">invite codes</a> ·
              <a href="/competitions/${name}/teams">teams</a>`
      }`,
    islands: ["dates"],
    ...(outcome && { outcome }),
    body: html`
      ${competition === null ? null : html`<p class="lead">${formatTimeLeft(competition, now)}</p>`} ${form(shown)}
      ${competition === null ? null : closing(competition, now)}
    `,
  });
}

function form({ fields, competition, choices }: CompetitionFormPage): Html {
  const isNew = competition === null;
  return html`<form
    method="post"
    action="${isNew ? "/admin/competitions" : `/admin/competitions/${competition.name}`}"
    class="stack wide"
  >
    ${
      isNew
        ? html`<label for="name">Name, as it stands in addresses; it stays</label>
            <input
              id="name"
              name="name"
              required
              maxlength="95"
              pattern="[a-z0-9][a-z0-9_\\-]*"
              title="lower-case letters, digits, - and _"
              value="${fields.name}"
              autocomplete="off"
            />`
        : null
    }
    <label for="title">Title</label>
    <input id="title" name="title" required maxlength="200" value="${fields.title}" />
    <label for="description">Description; an empty line begins a paragraph</label>
    <textarea id="description" name="description" rows="8" maxlength="100000">${fields.description}</textarea>
    <div class="pair">
      ${dateField("startsAt", "Starts, in UTC", fields.startsAt, "required")}
      ${dateField("endsAt", "Ends, in UTC", fields.endsAt, "required")}
    </div>
    <div class="pair">
      ${dateField("freezeAt", "Boards freeze, in UTC; empty for never", fields.freezeAt)}
      ${dateField("revealAt", "Boards are revealed, in UTC; empty for the end", fields.revealAt)}
    </div>
    ${choiceField("visibility", "Who finds it", fields.visibility, VISIBILITIES)}
    ${choiceField("participants", "Who takes part", fields.participants, PARTICIPANTS)} ${limits(fields)}
    ${choiceField("codeVisibility", "Who reads the code on its boards", fields.codeVisibility, CODE)}
    <label for="licence">Licence under which ranked submissions must be publishable</label>
    <select id="licence" name="licence">
      <option value="">each author decides</option>
      ${LICENCES.map(
        (licence) =>
          html`<option value="${licence}" ${licence === fields.licence ? html`selected` : null}>${licence}</option>`,
      )}
    </select>
    <label for="teamSize">How many may be in a team; 1 for no teams</label>
    <input id="teamSize" name="teamSize" type="number" min="1" max="16" required value="${fields.teamSize}" />
    <label for="organisers">Organisers: names of accounts, one a line${isNew ? "; empty for you alone" : ""}</label>
    <textarea id="organisers" name="organisers" rows="3">${fields.organisers}</textarea>
    <label for="targets">Targets whose boards are part of it, between commas; empty for all of its problems</label>
    <input id="targets" name="targets" maxlength="5000" value="${fields.targets}" autocomplete="off" />
    ${problemChoice(choices, fields.problems)}
    <div><button>${isNew ? "Make the competition" : "Save"}</button></div>
  </form>`;
}

const VISIBILITIES: Readonly<Record<Visibility, string>> = {
  public: "public: everybody, in lists",
  unlisted: "unlisted: who has its address; members in lists",
  closed: "closed: its members alone",
};

const PARTICIPANTS: Readonly<Record<Participants, string>> = {
  everyone: "everyone who finds it",
  members: "its members alone: organisers, and who claimed an invite code; others look on",
};

const CODE: Readonly<Record<CodeVisibility, string>> = {
  after_end: "everybody, after the end",
  always: "everybody, always",
  never: "its authors alone",
};

const LIMIT_LEGENDS: Readonly<Record<LimitQuantity, string>> = {
  per_hour: "Submissions of an account within an hour, at most; empty for no limit",
  concurrent: "Runs of an account that wait or are at work, at most",
  gpu_seconds_per_day: "Seconds that an account holds accelerators within a day, at most",
};

/** Renders the limits on what an account may submit, by quantity and mode. */
function limits(fields: CompetitionFields): Html {
  return html`${LIMIT_QUANTITIES.map(
    (quantity) =>
      html`<fieldset name="limits-${quantity}" class="limits">
        <legend>${LIMIT_LEGENDS[quantity]}</legend>
        ${LIMIT_KEYS.filter((limit) => limit.quantity === quantity).map(
          ({ key, mode }) =>
            html`<label
              >${mode}
              <input name="${key}" type="number" min="1" max="100000" inputmode="numeric" value="${fields[key]}"
            /></label>`,
        )}
      </fieldset>`,
  )}`;
}

function choiceField(name: string, legend: string, value: string, words: Readonly<Record<string, string>>): Html {
  return html`<fieldset>
    <legend>${legend}</legend>
    ${Object.entries(words).map(
      ([option, meaning]) =>
        html`<label class="choice"
          ><input type="radio" name="${name}" value="${option}" ${option === value ? html`checked` : null} />
          ${meaning}</label
        >`,
    )}
  </fieldset>`;
}

function closing({ name, endsAt }: Competition, now: Date): Html | null {
  if (Date.parse(endsAt) <= now.getTime()) return null;
  return html`<h2 id="close">Close it now</h2>
    <details>
      <summary>End the competition before its date</summary>
      <form method="post" action="/admin/competitions/${name}/close" class="stack">
        <p>
          Its end becomes this moment: ranked submissions are taken no more, and seeds and code open as after any end. A
          later end, saved above, opens it again; what was opened was seen.
        </p>
        <div><button class="danger">Close it now</button></div>
      </form>
    </details>`;
}
