/** Teams of a competition: the viewer's own with its code, the forms to join or create one, and all teams. */
import { phaseOf, type Competition, type Team } from "@kernelbot/core";
import { button, doneNotice, problemNotice } from "../layout/forms.ts";
import { breadcrumb, setCrumbs } from "../layout/breadcrumb.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";
import { count } from "../layout/format.ts";

interface TeamsPage {
  visit: Visit;
  competition: Competition;
  /** All teams; only the viewer's own has its code. */
  teams: readonly Team[];
  now: Date;
  /** Whether the viewer may remove members from teams. */
  mayRemove: boolean;
  done?: string | null | undefined;
  problem?: string | undefined;
  /** Values as typed into a form that failed. */
  typed?: { name?: string | null; code?: string | null } | undefined;
}

export function teamsPage(shown: TeamsPage): Promise<string> {
  const { visit, competition, teams, done = null, problem } = shown;
  const { name, title, teamSize } = competition;
  const own = teams.find(({ code }) => code !== null);
  return page({
    visit,
    title: `Teams of ${title}`,
    body: html`
      ${breadcrumb(setCrumbs({ name, title }))}
      <h1>Teams of ${title}</h1>
      ${doneNotice(done)} ${problemNotice(problem)}
      ${
        teamSize === 1
          ? html`<p class="empty">This competition does not have teams: each participant competes individually.</p>`
          : html`<p>
                A team has up to ${teamSize} members and one row on each leaderboard: the best submission that a member
                made while in the team. Team members have no rows of their own.
              </p>
              ${own === undefined ? joinForms(shown) : ownTeam(own, shown)}`
      }
      ${teamSize === 1 && teams.length === 0 ? null : allTeams(shown)}
    `,
  });
}

function joinForms({ visit, competition, now, typed }: TeamsPage): Html {
  const at = `/competitions/${competition.name}/teams`;
  if (phaseOf(competition, now) === "ended") {
    return html`<p class="empty">The competition has ended; its teams can no longer change.</p>`;
  }
  if (visit.viewer === null) {
    return html`<p>
      <a class="button" href="/sign-in?next=${encodeURIComponent(at)}">Sign in to create or join a team</a>
    </p>`;
  }
  return html`<div class="grid">
    <form method="post" action="${at}" class="stack" aria-labelledby="make">
      <h2 id="make">Create a team</h2>
      <label for="name">Team name, shown on the leaderboards</label>
      <input id="name" name="name" required maxlength="40" value="${typed?.name ?? ""}" autocomplete="off" />
      <div><button>Create team</button></div>
    </form>
    <form method="post" action="${at}/join" class="stack" aria-labelledby="join">
      <h2 id="join">Join a team</h2>
      <label for="code">Team code, from a member of the team</label>
      <input
        id="code"
        name="code"
        required
        maxlength="40"
        value="${typed?.code ?? ""}"
        autocomplete="off"
        spellcheck="false"
      />
      <div><button class="quiet">Join team</button></div>
    </form>
  </div>`;
}

function ownTeam({ name, members, code }: Team, { competition, now, typed }: TeamsPage): Html {
  const at = `/competitions/${competition.name}/teams`;
  const room = competition.teamSize - members.length;
  return html`<h2 id="own">${name}</h2>
    <p>
      ${members.length === 1 ? "You are the only member." : `Members: ${members.map((each) => each.name).join(", ")}.`}
    </p>
    ${
      phaseOf(competition, now) === "ended"
        ? html`<p class="empty">The competition has ended; its teams can no longer change.</p>`
        : html`${
              room <= 0
                ? html`<p>The team is full.</p>`
                : html`<p>
                      ${count(room, "more member", "more members")} can join with this code. Share it only with them:
                    </p>
                    <pre><code id="team-code">${code}</code></pre>
                    <p class="needs-script"><button type="button" class="quiet" data-copy="team-code">Copy</button></p>`
            }
            <form method="post" action="${at}/rename" class="row">
              <label for="new-name">Team name</label>
              <input
                id="new-name"
                name="name"
                required
                maxlength="40"
                value="${typed?.name ?? name}"
                autocomplete="off"
              />
              <button class="quiet">Rename</button>
            </form>
            <details>
              <summary>Leave the team</summary>
              <p>
                You can leave until your first ranked submission in the team. After that, only an organiser or a
                moderator can remove you.
              </p>
              ${button(`${at}/leave`, "Leave", {}, true)}
            </details>`
    }`;
}

function allTeams({ competition, teams, mayRemove }: TeamsPage): Html {
  return html`<h2 id="all">All teams</h2>
    ${
      teams.length === 0
        ? html`<p class="empty">No teams yet.</p>`
        : html`<div class="scroll">
            <table class="stacked-rows">
              <caption>
                ${count(teams.length, "team", "teams")} of up to ${competition.teamSize}
              </caption>
              <thead>
                <tr>
                  <th scope="col">Team</th>
                  <th scope="col">Members</th>
                  ${mayRemove ? html`<th scope="col"><span class="visually-hidden">Remove</span></th>` : null}
                </tr>
              </thead>
              <tbody>
                ${teams.map(
                  ({ name, members }) =>
                    html`<tr>
                      <th scope="row">${name}</th>
                      <td>
                        ${members.length === 0 ? html`<span class="quiet">no members</span>` : members.map((each) => each.name).join(", ")}
                      </td>
                      ${mayRemove ? html`<td>${members.length === 0 ? null : removal(competition.name, name, members)}</td>` : null}
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
    }`;
}

function removal(competition: string, team: string, members: Team["members"]): Html {
  return html`<details>
    <summary>Remove a member<span class="visually-hidden"> of ${team}</span></summary>
    <p><small>Ranked results stay with the team, and the team gets a new code.</small></p>
    ${members.map(({ name }) => button(`/competitions/${competition}/teams/remove`, `Remove ${name}`, { account: name }, true))}
  </details>`;
}
