import { timeLeft, type BoardSummary, type Competition, type Team } from "@kernelbot/core";
import { boardTable } from "./home.ts";
import { html, type Html } from "./html.ts";
import { page } from "./layout.ts";
import type { Visit } from "./visit.ts";
import { moment } from "./words.ts";

const CODE: Record<Competition["codeVisibility"], string> = {
  after_end: "Everybody may read the code on its boards once it has ended.",
  always: "Everybody may read the code on its boards.",
  never: "The code on its boards is its authors’ alone.",
};

const FOUND: Record<Competition["visibility"], string | null> = {
  public: null,
  unlisted: "It is in no list: whoever has this address finds it.",
  closed: "It is closed: only its members find it.",
};

/** A competition: what it is about, when it ends, and its boards. */
export function competitionPage({
  competition,
  boards,
  teams,
  now,
  visit,
}: {
  competition: Competition;
  boards: readonly BoardSummary[];
  teams: readonly Team[];
  now: Date;
  visit: Visit;
}): Promise<string> {
  const { title, description, startsAt, endsAt, organisers, visibility, codeVisibility, licence } = competition;
  return page({
    title,
    visit,
    body: html`
      <h1>${title}</h1>
      <p class="lead">${dates(competition, now)}</p>
      ${description.split(/\n{2,}/).map((paragraph) => html`<p>${paragraph}</p>`)}
      <h2 id="boards">Boards</h2>
      ${boards.length === 0 ? html`<p>It has no problems yet.</p>` : boardTable(boards)}
      ${competition.teamSize === 1 && teams.length === 0 ? null : teamList(competition, teams)}
      <p>
        <small>
          Ranked submissions count from ${moment(startsAt)} until ${moment(endsAt)}. ${CODE[codeVisibility]}
          ${licence === null ? null : `Ranked submissions may be published under ${licence}.`} ${FOUND[visibility]}
          Organised by ${organisers.map(({ name }) => name).join(", ")}.
        </small>
      </p>
    `,
  });
}

function teamList({ name, teamSize }: Competition, teams: readonly Team[]): Html {
  return html`<h2 id="teams">Teams</h2>
    <ul>
      ${teams.map(
        (team) => html`<li><strong>${team.name}</strong> ${team.members.map((each) => each.name).join(", ")}</li>`,
      )}
    </ul>
    <p>
      Up to ${teamSize} take part as one, and have one row on each board. In a terminal:
      <code>kernelbot team make NAME --competition ${name}</code>
    </p>`;
}

/** `5 days left`, with the moments for those who point at it. */
export function dates(competition: Competition, now: Date): Html {
  return html`<span title="${competition.startsAt} to ${competition.endsAt}">${timeLeft(competition, now)}</span>`;
}

/** Asks whether to join: nothing is looked up before the button is pressed. */
export function joinPage({ code, refusal, visit }: { code: string; refusal?: string; visit: Visit }): Promise<string> {
  return page({
    title: "Join",
    visit,
    body: html`
      <h1>Join a competition</h1>
      ${refusal === undefined ? null : html`<p class="message" role="alert">${refusal}</p>`}
      <form method="post" action="/join/${code}">
        <button>Join with this invite code</button>
      </form>
      <p>Or in a terminal: <code>kernelbot join ${code}</code></p>
    `,
  });
}
