import { phaseOf, timeLeft, type BoardSummary, type Competition, type Team } from "@kernelbot/core";
import { boardList } from "./board-list.ts";
import { html, type Html } from "./html.ts";
import { page } from "./layout.ts";
import { prose } from "./markdown.ts";
import type { Visit } from "./visit.ts";
import { count, momentInBoth } from "./words.ts";

const CODE: Record<Competition["codeVisibility"], string> = {
  after_end: "Everybody may read the code on its boards once it has ended.",
  always: "Everybody may read the code on its boards.",
  never: "The code on its boards is its authors’ alone.",
};

const FOUND: Record<Competition["visibility"], string> = {
  public: "Everybody finds it.",
  unlisted: "It is in no list: whoever has this address finds it.",
  closed: "It is closed: only its members find it.",
};

export interface CompetitionPage {
  competition: Competition;
  boards: readonly BoardSummary[];
  teams: readonly Team[];
  /** Where its data is, once it has ended and some of it is published. */
  data: string | null;
  /** The number of its boards that `/updates` goes on from. */
  revision: number;
  now: Date;
  visit: Visit;
}

/** A competition: what it is about, when it ends, its boards, its teams and its rules. */
export function competitionPage({
  competition,
  boards,
  teams,
  data,
  revision,
  now,
  visit,
}: CompetitionPage): Promise<string> {
  const { title, description } = competition;
  return page({
    title,
    visit,
    description: description.slice(0, 300),
    islands: ["live"],
    body: html`
      <p class="path"><a href="/">Competitions</a></p>
      <h1>${title}</h1>
      <p class="left">${dates(competition, now)}</p>
      ${data === null ? null : html`<p><a href="${data}">Its data, and what it says</a></p>`}
      ${
        mayEdit(competition, visit)
          ? html`<p><a class="button quiet" href="/admin/competitions/${competition.name}">Edit it</a></p>`
          : null
      }
      <div class="beside">
        <div>${prose(description, { headingLevel: 2 })}</div>
        ${rules(competition)}
      </div>
      <h2 id="boards">Boards</h2>
      <div id="lists" data-live="/updates?competition=${competition.name}&after=${revision}">
        ${
          boards.length === 0
            ? html`<p class="empty">Its problems are not out yet.${opening(competition, now)}</p>`
            : boardList(boards)
        }
      </div>
      ${competition.teamSize === 1 && teams.length === 0 ? null : teamList(competition, teams)}
    `,
  });
}

function mayEdit({ organisers }: Competition, { viewer }: Visit): boolean {
  if (viewer === null) return false;
  return viewer.roles.includes("administrator") || organisers.some(({ id }) => id === viewer.id);
}

/** How far it is, and the moment that this is about. */
export function dates(competition: Pick<Competition, "startsAt" | "endsAt">, now: Date): Html {
  const phase = phaseOf(competition, now);
  const about = phase === "upcoming" ? competition.startsAt : competition.endsAt;
  return html`<span class="${phase}">${timeLeft(competition, now)}</span>
    <small>${phase === "upcoming" ? "from" : phase === "running" ? "until" : "on"} ${momentInBoth(about)}</small>`;
}

function opening(competition: Competition, now: Date): Html | null {
  return phaseOf(competition, now) === "upcoming" ? html` It opens ${momentInBoth(competition.startsAt)}.` : null;
}

function rules({ startsAt, endsAt, codeVisibility, licence, visibility, organisers, teamSize }: Competition): Html {
  const fact = (name: string, value: Html | string): Html =>
    html`<dt>${name}</dt>
      <dd>${value}</dd>`;
  return html`<dl class="facts" aria-label="Rules">
    ${fact("Opens", momentInBoth(startsAt))} ${fact("Ends", momentInBoth(endsAt))} ${fact("Code", CODE[codeVisibility])}
    ${licence === null ? null : fact("Licence", `Ranked submissions may be published under ${licence}.`)}
    ${teamSize === 1 ? null : fact("Teams", `Up to ${teamSize} take part as one.`)} ${fact("Access", FOUND[visibility])}
    ${fact("Organisers", organisers.map(({ name }) => name).join(", "))}
  </dl>`;
}

function teamList({ name, teamSize }: Competition, teams: readonly Team[]): Html {
  return html`<h2 id="teams">Teams</h2>
    ${
      teams.length === 0
        ? html`<p class="empty">No team yet.</p>`
        : html`<div class="scroll">
            <table>
              <caption>
                ${count(teams.length, "team", "teams")} of up to ${teamSize}; a team has one row on each board.
              </caption>
              <tbody>
                ${teams.map(
                  (team) =>
                    html`<tr>
                      <th scope="row">${team.name}</th>
                      <td>${team.members.map((each) => each.name).join(", ")}</td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }
    <p><a href="/competitions/${name}/teams">Make a team, join one, or leave yours</a></p>`;
}
