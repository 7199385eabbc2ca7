/** A competition as its organisers write it: the form that makes it, and the one that changes it. */
import { CodeVisibility, LICENCES, Visibility, timeLeft, type Competition } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import type { SignedVisit } from "../visit.ts";
import { adminPage, type Outcome } from "./frame.ts";

/** The fields of the form as they stand in it: those with one value, and which problems are in. */
export interface CompetitionFields {
  name: string;
  title: string;
  description: string;
  visibility: string;
  /** In UTC, as `datetime-local` has it: `2026-03-01T12:00`. */
  startsAt: string;
  endsAt: string;
  codeVisibility: string;
  licence: string;
  teamSize: string;
  /** Names of accounts, one a line. */
  organisers: string;
  problems: readonly string[];
}

export const NEW_COMPETITION: CompetitionFields = {
  name: "",
  title: "",
  description: "",
  visibility: "public",
  startsAt: "",
  endsAt: "",
  codeVisibility: "after_end",
  licence: "",
  teamSize: "1",
  organisers: "",
  problems: [],
};

export function fieldsOf(competition: Competition): CompetitionFields {
  const { name, title, description, visibility, codeVisibility, licence, teamSize, organisers } = competition;
  return {
    ...{ name, title, description, visibility, codeVisibility },
    problems: competition.problems.map((problem) => problem.name),
    startsAt: fieldMoment(competition.startsAt),
    endsAt: fieldMoment(competition.endsAt),
    licence: licence ?? "",
    teamSize: String(teamSize),
    organisers: organisers.map((organiser) => organiser.name).join("\n"),
  };
}

/** A moment as the field has it, with seconds only where there are some. */
export function fieldMoment(iso: string): string {
  const seconds = iso.slice(16, 19);
  return iso.slice(0, 16) + (seconds === ":00" ? "" : seconds);
}

export interface CompetitionFormPage {
  visit: SignedVisit;
  fields: CompetitionFields;
  /** The competition that is changed; null for a new one. */
  competition: Competition | null;
  /** Names of the problems that may be in it. */
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
      ${competition === null ? null : html`<p class="lead">${timeLeft(competition, now)}</p>`} ${form(shown)}
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
      ${dateField("startsAt", "Starts, in UTC", fields.startsAt)} ${dateField("endsAt", "Ends, in UTC", fields.endsAt)}
    </div>
    ${choiceField("visibility", "Who finds it", fields.visibility, VISIBILITIES)}
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
    ${problemChoice(choices, fields.problems)}
    <div><button>${isNew ? "Make the competition" : "Save"}</button></div>
  </form>`;
}

function dateField(name: string, label: string, value: string): Html {
  const bySeconds = /T\d\d:\d\d:/.test(value);
  return html`<div>
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="datetime-local"
      required
      value="${value}"
      ${bySeconds ? html`step="1"` : null}
    />
    <output for="${name}" class="local-time"></output>
  </div>`;
}

const VISIBILITIES: Readonly<Record<Visibility, string>> = {
  public: "public: everybody, in lists",
  unlisted: "unlisted: who has its address; members in lists",
  closed: "closed: its members alone",
};

const CODE: Readonly<Record<CodeVisibility, string>> = {
  after_end: "everybody, after the end",
  always: "everybody, always",
  never: "its authors alone",
};

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

function problemChoice(choices: readonly string[], chosen: readonly string[]): Html {
  // What was typed and cannot be chosen is shown too, so that it can be taken out.
  const all = [...new Set([...choices, ...chosen])].toSorted();
  return html`<fieldset class="picks">
    <legend>Problems; each is in one competition at most, and one that is in none is practice, open to all</legend>
    ${
      all.length === 0
        ? html`<p class="empty">Every problem is in another competition.</p>`
        : all.map(
            (name) =>
              html`<label class="choice"
                ><input
                  type="checkbox"
                  name="problem"
                  value="${name}"
                  ${chosen.includes(name) ? html`checked` : null}
                />
                ${name}</label
              >`,
          )
    }
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
