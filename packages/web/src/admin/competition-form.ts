/** Admin page that creates or edits a competition. */
import {
  CodeVisibility,
  EntrantNames,
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
import { option } from "../layout/forms.ts";

interface CompetitionFormPage {
  visit: SignedVisit;
  fields: CompetitionFields;
  /** Competition being edited; null for a new one. */
  competition: Competition | null;
  /** Links to further pages of the competition. */
  links: readonly { path: string; label: string }[];
  /** Names of the problems that may be added to the competition. */
  choices: readonly string[];
  now: Date;
  outcome?: Outcome;
}

export function competitionFormPage(shown: CompetitionFormPage): Promise<string> {
  const { visit, competition, links, now, outcome } = shown;
  const name = competition?.name;
  return adminPage({
    visit,
    title: competition?.title ?? "New competition",
    above: [["Competitions", "/admin/competitions"]],
    islands: ["dates"],
    ...(outcome && { outcome }),
    body: html`
      ${
        competition === null
          ? null
          : html`<p class="lead">${formatTimeLeft(competition, now)}</p>
              <p>
                <a href="/competitions/${name}">Page</a> ·
                <a href="/admin/competitions/${name}/invites">Invite codes</a> ·
                ${links.map(({ path, label }) => html`<a href="${path}">${label}</a> · `)}
                <a href="/competitions/${name}/teams">Teams</a>
              </p>`
      }
      ${form(shown)} ${competition === null ? null : closing(competition, now)}
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
        ? html`<label for="name">Name, used in URLs; cannot be changed later</label>
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
    <label for="description">Description (Markdown)</label>
    <textarea id="description" name="description" rows="8" maxlength="100000">${fields.description}</textarea>
    <div class="pair">
      ${dateField("startsAt", "Starts, in UTC", fields.startsAt, "required")}
      ${dateField("endsAt", "Ends, in UTC", fields.endsAt, "required")}
    </div>
    <div class="pair">
      ${dateField("freezeAt", "Leaderboard freeze, in UTC; empty for none", fields.freezeAt)}
      ${dateField("revealAt", "Leaderboard reveal, in UTC; empty for the end", fields.revealAt)}
    </div>
    ${choiceField("visibility", "Visibility", fields.visibility, VISIBILITIES)}
    ${choiceField("participants", "Participants", fields.participants, PARTICIPANTS)}
    <label for="groups">Groups at the sign-in provider whose members are members here, one per line</label>
    <textarea id="groups" name="groups" rows="2" autocomplete="off">${fields.groups}</textarea>
    ${choiceField("names", "Names on the leaderboards; cannot change once there are ranked submissions", fields.names, NAMES)}
    ${limits(fields)} ${choiceField("codeVisibility", "Code visibility", fields.codeVisibility, CODE)}
    <label for="licence">Licence under which ranked submissions must be publishable</label>
    <select id="licence" name="licence">
      <option value="">Each author decides</option>
      ${LICENCES.map((licence) => option(licence, fields.licence))}
    </select>
    <label for="teamSize">Maximum team size; 1 for no teams</label>
    <input id="teamSize" name="teamSize" type="number" min="1" max="16" required value="${fields.teamSize}" />
    <label for="organisers">Organisers: account names, one per line${isNew ? "; empty for only you" : ""}</label>
    <textarea id="organisers" name="organisers" rows="3">${fields.organisers}</textarea>
    <label for="targets">Targets, separated by commas; empty for all targets of its problems</label>
    <input id="targets" name="targets" maxlength="5000" value="${fields.targets}" autocomplete="off" />
    ${problemChoice(choices, fields.problems)}
    <div><button>${isNew ? "Create competition" : "Save"}</button></div>
  </form>`;
}

const VISIBILITIES: Readonly<Record<Visibility, string>> = {
  public: "public: visible to everyone and listed",
  unlisted: "unlisted: visible to everyone with the link; listed only for members",
  closed: "closed: visible only to members",
};

const PARTICIPANTS: Readonly<Record<Participants, string>> = {
  everyone: "everyone who can see it",
  members:
    "members only: organisers, and accounts that joined by an invite or have one of the groups below; others can view",
};

const NAMES: Readonly<Record<EntrantNames, string>> = {
  accounts: "account names",
  pseudonyms: "a pseudonym for each account; only its owner and moderators see the account",
};

const CODE: Readonly<Record<CodeVisibility, string>> = {
  after_end: "public after the end",
  always: "always public",
  never: "only the authors",
};

const LIMIT_LEGENDS: Readonly<Record<LimitQuantity, string>> = {
  per_hour: "Maximum submissions per account and hour; empty for no limit, 0 to close the mode",
  concurrent: "Maximum queued and running runs per account",
  gpu_seconds_per_day: "Maximum accelerator seconds per account and day",
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
              <input name="${key}" type="number" min="0" max="100000" inputmode="numeric" value="${fields[key]}"
            /></label>`,
        )}
      </fieldset>`,
  )}`;
}

function choiceField(name: string, legend: string, value: string, labels: Readonly<Record<string, string>>): Html {
  return html`<fieldset>
    <legend>${legend}</legend>
    ${Object.entries(labels).map(
      ([option, label]) =>
        html`<label class="choice"
          ><input type="radio" name="${name}" value="${option}" ${option === value ? html`checked` : null} />
          ${label}</label
        >`,
    )}
  </fieldset>`;
}

function closing({ name, endsAt }: Competition, now: Date): Html | null {
  if (Date.parse(endsAt) <= now.getTime()) return null;
  return html`<h2 id="close">Close the competition</h2>
    <details>
      <summary>End it before its end date</summary>
      <form method="post" action="/admin/competitions/${name}/close" class="stack">
        <p>
          The competition ends now: ranked submissions are no longer accepted, and seeds and code become visible as
          after any end. Saving a later end above reopens it, but what became visible is no longer secret.
        </p>
        <div><button class="danger">Close now</button></div>
      </form>
    </details>`;
}
