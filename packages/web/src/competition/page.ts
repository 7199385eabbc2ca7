import {
  frozenUntil,
  limitsIn,
  phaseOf,
  formatTimeLeft,
  type BoardSummary,
  type Competition,
  type Team,
} from "@kernelbot/core";
import { boardList } from "../board/list.ts";
import { freezeNotice } from "../results/freeze.ts";
import { competitionFeedPath } from "../feed/feeds.ts";
import { breadcrumb } from "../layout/breadcrumb.ts";
import { limitTable } from "../layout/limits.ts";
import { html, type Html } from "../html.ts";
import { page, type PageFeed } from "../layout/layout.ts";
import { prose } from "../markdown/markdown.ts";
import type { Visit } from "../layout/page-context.ts";
import { count, momentInBoth } from "../layout/format.ts";

const CODE_TEXT: Record<Competition["codeVisibility"], string> = {
  after_end: "The code on its leaderboards is public once the competition has ended.",
  always: "The code on its leaderboards is public.",
  never: "Only the authors can read the code on its leaderboards.",
};

const VISIBILITY_TEXT: Record<Competition["visibility"], string> = {
  public: "Public.",
  unlisted: "Unlisted: visible to everyone who has the link.",
  closed: "Closed: visible only to members.",
};

interface CompetitionPage {
  competition: Competition;
  boards: readonly BoardSummary[];
  teams: readonly Team[];
  /** Path of the published data; null before the competition has ended or while nothing is published. */
  data: string | null;
  /** Links to further pages of the competition for its participants. */
  links: readonly { path: string; label: string }[];
  /** Change number of the boards after which `/updates` continues. */
  changeNumber: number;
  now: Date;
  visit: Visit;
}

/** Renders a competition: description, dates, boards, teams and rules. */
export function competitionPage({
  competition,
  boards,
  teams,
  data,
  links,
  changeNumber,
  now,
  visit,
}: CompetitionPage): Promise<string> {
  const { title, description, freezeAt } = competition;
  const until = frozenUntil(competition, now);
  const freeze = until === null || freezeAt === null ? null : { since: freezeAt, until };
  return page({
    title,
    visit,
    description: description.slice(0, 300),
    feed: feedOf(competition),
    islands: ["live"],
    body: html`
      ${breadcrumb([["Competitions", "/"]])}
      <h1>${title}</h1>
      <p class="time-left">${dates(competition, now)}</p>
      ${freeze === null ? null : freezeNotice(freeze)}
      ${links.map(({ path, label }) => html`<p><a class="button" href="${path}">${label}</a></p>`)}
      ${data === null ? null : html`<p><a href="${data}">Data and analysis</a></p>`}
      ${
        mayEdit(competition, visit)
          ? html`<p><a class="button quiet" href="/admin/competitions/${competition.name}">Edit</a></p>`
          : null
      }
      <div class="two-columns">
        <div>${prose(description, { headingLevel: 2 })}</div>
        ${rules(competition)}
      </div>
      <h2 id="boards">Leaderboards</h2>
      <div id="lists" data-live="/updates?competition=${competition.name}&after=${changeNumber}">
        ${
          boards.length === 0
            ? html`<p class="empty">The problems have not been published yet.${opening(competition, now)}</p>`
            : boardList(boards)
        }
      </div>
      ${competition.teamSize === 1 && teams.length === 0 ? null : teamList(competition, teams)}
    `,
  });
}

/** Returns the feed of the dates; undefined where anonymous viewers may not see the competition. */
function feedOf(competition: Competition): PageFeed | undefined {
  if (competition.visibility === "closed") return undefined;
  return { path: competitionFeedPath(competition), title: competition.title };
}

function mayEdit({ organisers }: Competition, { viewer }: Visit): boolean {
  if (viewer === null) return false;
  return viewer.roles.includes("administrator") || organisers.some(({ id }) => id === viewer.id);
}

/** Renders the time left, and the start of an upcoming competition or the end of any other. */
export function dates(competition: Pick<Competition, "startsAt" | "endsAt">, now: Date): Html {
  const phase = phaseOf(competition, now);
  const about = phase === "upcoming" ? competition.startsAt : competition.endsAt;
  return html`<span class="${phase}">${formatTimeLeft(competition, now)}</span>
    <small>${phase === "upcoming" ? "from" : phase === "running" ? "until" : "on"} ${momentInBoth(about)}</small>`;
}

function opening(competition: Competition, now: Date): Html | null {
  return phaseOf(competition, now) === "upcoming"
    ? html` The competition opens ${momentInBoth(competition.startsAt)}.`
    : null;
}

const PARTICIPANTS_TEXT: Record<Competition["participants"], string> = {
  everyone: "Everyone who can see it can join.",
  members: "Only members can submit; join with an invite code.",
};

function rules(competition: Competition): Html {
  const { startsAt, endsAt, freezeAt, revealAt, codeVisibility, licence, visibility, participants } = competition;
  const { organisers, teamSize, names } = competition;
  const limits = limitsIn(competition.limits);
  const fact = (name: string, value: Html | string): Html =>
    html`<dt>${name}</dt>
      <dd>${value}</dd>`;
  return html`<dl class="facts" aria-label="Rules">
    ${fact("Opens", momentInBoth(startsAt))} ${fact("Ends", momentInBoth(endsAt))}
    ${
      freezeAt === null
        ? null
        : fact(
            "Leaderboard freeze",
            html`${momentInBoth(freezeAt)}; later submissions are listed from ${momentInBoth(revealAt ?? endsAt)}.`,
          )
    }
    ${earlier(competition)} ${fact("Code", CODE_TEXT[codeVisibility])}
    ${licence === null ? null : fact("Licence", `Ranked submissions may be published under ${licence}.`)}
    ${names === "accounts" ? null : fact("Names", "Leaderboards show a pseudonym for each account. Only you and moderators see your name there.")}
    ${teamSize === 1 ? null : fact("Teams", `Up to ${teamSize} members.`)}
    ${fact("Access", `${VISIBILITY_TEXT[visibility]} ${visibility === "closed" ? "" : PARTICIPANTS_TEXT[participants]}`)}
    ${limits.length === 0 ? null : fact("Account limits", limitTable(limits))}
    ${fact("Organisers", organisers.map(({ name }) => name).join(", "))}
  </dl>`;
}

/** Renders the problems whose boards end before the competition; null if there are none. */
function earlier({ problems }: Competition): Html | null {
  const ended = problems.flatMap(({ name, endsAt }) => (endsAt === null ? [] : [{ name, endsAt }]));
  if (ended.length === 0) return null;
  return html`<dt>Ends earlier</dt>
    <dd>${ended.map(({ name, endsAt }) => html`<span class="block">${name} ${momentInBoth(endsAt)}</span>`)}</dd>`;
}

function teamList({ name, teamSize }: Competition, teams: readonly Team[]): Html {
  return html`<h2 id="teams">Teams</h2>
    ${
      teams.length === 0
        ? html`<p class="empty">No teams yet.</p>`
        : html`<div class="scroll">
            <table>
              <caption>
                ${count(teams.length, "team", "teams")} of up to ${teamSize}; a team has one row on each leaderboard.
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
    <p><a href="/competitions/${name}/teams">Create, join or leave a team</a></p>`;
}
