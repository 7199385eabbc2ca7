import {
  formatRankedBy,
  formatNs,
  isPseudonym,
  personPath,
  displayName,
  type AuthorKind,
  type Membership,
  type Person,
  type PersonCompetition,
  type PersonEntry,
  type PersonRecord,
  type RankedRun,
} from "@kernelbot/core";
import { calendar } from "../chart/calendar.ts";
import { freezeBadge } from "../results/freeze.ts";
import { html, piece, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import { marks, result, speedup } from "../results/timing.ts";
import type { Visit } from "../layout/page-context.ts";
import { count, moment } from "../layout/format.ts";
import { figure, right, table } from "../layout/table.ts";

/** Renders a person's page: board entries, records, activity of the last year, competitions, recent submissions, teams. */
export function personPage({ person, visit }: { person: Person; visit: Visit }): Promise<string> {
  const { account, bannedAt, entries, records, competitions, teams, recent } = person;
  const name = displayName(account);
  const isSelf = visit.viewer?.id === account.id;
  return page({
    title: name,
    visit,
    description: `${name} on KernelBot: ${count(entries.length, "leaderboard", "leaderboards")}.`,
    body: html`
      <h1>${name}</h1>
      <p class="quiet">${since(person)}</p>
      ${isSelf ? html`<p class="notice good">This is your profile as you see it; others see only what is visible to them. Change your name, sign-in methods and tokens in <a href="/account">your account</a>.</p>` : null}
      ${bannedAt === null ? null : html`<p class="notice bad">This account was banned on ${moment(bannedAt)}: its results do not count.</p>`}
      ${summary(person)} ${entries.length > 0 ? boards(entries) : bannedAt === null ? nothingYet(isSelf) : null}
      ${records.length > 0 ? recordTable(records) : null} ${activity(person)}
      ${competitions.length > 0 ? competitionTable(competitions) : null}
      ${recent.length > 0 ? recentTable(recent) : null} ${teams.length > 0 ? teamTable(teams) : null}
    `,
  });
}

/** Renders a person's name as a link to their page, which a pseudonym does not have. */
export function personLink(account: Person["account"]): Html {
  if (isPseudonym(account)) return piece`${displayName(account)}`;
  return piece`<a href="${personPath(account)}">${displayName(account)}</a>`;
}

const AUTHOR_LABELS: Record<AuthorKind, string> = {
  undeclared: "undeclared",
  human: "human",
  assisted: "human with a model",
  autonomous: "model only",
};

function since({ createdAt, authors }: Person): Html {
  const declared = authors.map(
    ({ kind, submissions }) => `${submissions.toLocaleString("en-US")} ${AUTHOR_LABELS[kind]}`,
  );
  return html`Joined ${day(createdAt)}.
  ${declared.length === 0 ? null : html`Ranked submissions by author: ${declared.join(", ")}.`}`;
}

function summary({ entries, records, weeks }: Person): Html | null {
  const submissions = total(weeks);
  if (entries.length === 0 && submissions === 0) return null;
  const first = entries.filter(({ rank }) => rank === 1).length;
  const current = records.filter(({ until }) => until === null).length;
  return html`<dl class="figures">
    ${figure(entries.length === 1 ? "leaderboard" : "leaderboards", entries.length)} ${figure("rank 1", first)}
    ${records.length === 0 ? null : figure(`current of ${count(records.length, "record", "records")}`, current)}
    ${figure("submissions in the last year", submissions)}
  </dl>`;
}

function nothingYet(isSelf: boolean): Html {
  return html`<p class="empty">
    No leaderboard entries yet.
    ${isSelf ? html`<a href="/">Choose a problem</a> and submit a file in mode <code>ranked</code>.` : null}
  </p>`;
}

function boards(entries: readonly PersonEntry[]): Html {
  return html`<section aria-labelledby="boards">
    <h2 id="boards">Leaderboards</h2>
    ${table({
      columns: ["Leaderboard", right("Rank"), right("Runtime"), right("Speedup")],
      rows: entries.map(
        (entry) =>
          html`<tr>
            <th scope="row">
              ${boardLink(entry)} ${marks({ ...entry, imported: false })} ${freezeBadge(entry.freeze)}
              <small class="block"
                ><a href="/submissions/${entry.submissionId}">${moment(entry.submittedAt)}</a> ·
                ${entry.imported ? "imported" : entry.verification}</small
              >
              ${entry.team === null ? null : html`<small class="block">team ${entry.team.name}${entry.own ? null : ", by another member"}</small>`}
            </th>
            <td class="right number">
              <strong>${entry.rank}</strong> <small>of ${entry.of.toLocaleString("en-US")}</small>
            </td>
            <td class="right">${result(entry)}</td>
            <td class="right">${speedup(entry.speedup)}</td>
          </tr>`,
      ),
    })}
  </section>`;
}

function recordTable(records: readonly PersonRecord[]): Html {
  return html`<section aria-labelledby="records">
    <h2 id="records">Records</h2>
    ${table({
      caption: "Submissions that were the best on their leaderboard when they were submitted.",
      columns: ["Leaderboard", right("Result"), "Until"],
      rows: records.map(
        (record) =>
          html`<tr>
            <th scope="row">
              ${boardLink(record)}
              <small class="block">
                from <a href="/submissions/${record.submissionId}">${moment(record.since)}</a>
              </small>
            </th>
            <td class="right number">
              ${record.rankedBy === undefined ? formatNs(record.timeNs) : formatRankedBy(record.rankedBy)}
            </td>
            <td>${record.until === null ? html`<span class="badge good">current</span>` : moment(record.until)}</td>
          </tr>`,
      ),
    })}
  </section>`;
}

function activity({ weeks }: Person): Html | null {
  const submissions = total(weeks);
  if (submissions === 0) return null;
  const active = weeks.flatMap(({ days }) => days).filter((count) => count > 0).length;
  return html`<section aria-labelledby="activity">
    <h2 id="activity">Activity</h2>
    ${calendar({
      summary: `${count(submissions, "submission", "submissions")} on ${count(active, "day", "days")} of the last year, in UTC.`,
      weeks,
    })}
  </section>`;
}

function competitionTable(competitions: readonly PersonCompetition[]): Html {
  return html`<section aria-labelledby="competitions">
    <h2 id="competitions">Competitions</h2>
    ${table({
      columns: ["Competition", right("Submissions"), "Latest"],
      rows: competitions.map(
        ({ competition, title, submissions, lastAt }) =>
          html`<tr>
            <th scope="row"><a href="/competitions/${competition}">${title}</a></th>
            <td class="right number">${submissions.toLocaleString("en-US")}</td>
            <td>${moment(lastAt)}</td>
          </tr>`,
      ),
    })}
  </section>`;
}

function recentTable(recent: readonly RankedRun[]): Html {
  return html`<section aria-labelledby="recent">
    <h2 id="recent">Latest ranked submissions</h2>
    ${table({
      columns: ["File", "Leaderboard", right("Runtime")],
      rows: recent.map(
        (run) =>
          html`<tr>
            <th scope="row">
              <a href="/submissions/${run.submissionId}">${run.fileName}</a>
              <small class="block">${moment(run.submittedAt)}</small>
            </th>
            <td>${boardLink(run)}</td>
            <td class="right">${result(run)}</td>
          </tr>`,
      ),
    })}
  </section>`;
}

function teamTable(teams: readonly Membership[]): Html {
  return html`<section aria-labelledby="teams">
    <h2 id="teams">Teams</h2>
    <ul>
      ${teams.map(
        ({ competition, title, team, members, joinedAt, leftAt }) =>
          html`<li>
            <strong>${team.name}</strong> in <a href="/competitions/${competition}">${title}</a>, from ${day(joinedAt)}
            ${leftAt === null ? null : html`until ${day(leftAt)}`}
            <small class="block">
              ${members.map((member, at) => html`${at === 0 ? "" : ", "}${personLink(member)}`)}
            </small>
          </li>`,
      )}
    </ul>
  </section>`;
}

function boardLink({ board, target }: { board: string; target: string }): Html {
  return html`<a href="/boards/${board}/${target}" aria-label="${board} on ${target}">${board}</a>
    <span class="target">${target}</span>`;
}

function total(weeks: Person["weeks"]): number {
  return weeks.reduce((sum, { submissions }) => sum + submissions, 0);
}

function day(iso: string): Html {
  return html`<time class="nowrap" datetime="${iso}">${iso.slice(0, 10)}</time>`;
}
