import { entrantName, formatBest, formatRankingWords, type BoardSummary, type ProblemDetail } from "@kernelbot/core";
import { breadcrumb, setCrumbs } from "../layout/breadcrumb.ts";
import { html, type Html } from "../html.ts";
import { terminalCommands } from "../layout/commands.ts";
import { page } from "../layout/layout.ts";
import { prose } from "../markdown/markdown.ts";
import { NONE, UNSANDBOXED } from "../results/timing.ts";
import type { Visit } from "../layout/page-context.ts";
import { caseTables } from "./cases.ts";
import { facts } from "./facts.ts";
import { excerpt } from "./excerpt.ts";
import { files, starters } from "./starters.ts";
import { history } from "./history.ts";

export interface ProblemPage {
  problem: ProblemDetail;
  /** Base URL of this server, for the commands. */
  server: string;
  now: Date;
  visit: Visit;
}

/** Maximum number of leaders in link previews. */
const LEADERS = 3;

/** Renders a problem: description, rules, boards, starters, cases, files and versions. */
export async function problemPage({ problem, server, now, visit }: ProblemPage): Promise<string> {
  const { spec, boards, openTargets } = problem;
  const { name, description } = spec;
  return page({
    title: name,
    visit,
    description: [...boards.flatMap(leaderOf).slice(0, LEADERS), excerpt(description)].join(" "),
    body: html`
      ${breadcrumb(setCrumbs(problem.competition))}
      <h1>${name}</h1>
      ${openTargets.length === 0 ? null : html`<p><a class="button" href="/problems/${name}/submit">Open in the editor</a></p>`}
      <div class="two-columns">
        <section aria-labelledby="description">
          <h2 id="description" class="visually-hidden">Description</h2>
          ${description === "" ? html`<p class="empty">No description available.</p>` : await prose(description, { headingLevel: 3 })}
        </section>
        ${facts(problem, now)}
      </div>
      <h2 id="boards">Leaderboards</h2>
      ${boardTable(boards, openTargets)}
      ${spec.harness === "imported" ? reference(problem) : await workSections(problem, server)}
      ${history(problem.history)}
    `,
  });
}

/** Formats the leader of a board in short; empty without entries. */
function leaderOf({ target, leader, team, bestNs, bestRankedBy }: BoardSummary): string[] {
  if (leader === null || bestNs === null) return [];
  const best = formatRankingWords({ timeNs: { value: bestNs }, rankedBy: bestRankedBy });
  return [`${target}: ${best} by ${entrantName({ team, account: leader })}.`];
}

async function workSections(problem: ProblemDetail, server: string): Promise<Html> {
  const { spec, openTargets } = problem;
  return html`<h2 id="starters">Starters</h2>
    ${await starters(problem)}
    <h2 id="cases">Cases</h2>
    ${caseTables(spec)}
    <h2 id="files">Files</h2>
    <p>These files define the problem and its version. They do not contain the seeds of timed runs.</p>
    ${files(problem)}
    <h2 id="submit">Submit from a terminal</h2>
    ${commands(spec.name, openTargets[0] ?? "TARGET", server)}`;
}

/** Renders the files of an imported problem, which has no starters or cases; null if it has no files. */
function reference(problem: ProblemDetail): Html | null {
  if (Object.keys(problem.files).length === 0) return null;
  return html`<h2 id="files">Files</h2>
    ${files(problem)}`;
}

function boardTable(boards: readonly BoardSummary[], openTargets: readonly string[]): Html {
  if (boards.length === 0) return html`<p class="empty">This problem has no leaderboards.</p>`;
  return html`<div class="scroll" tabindex="0">
    <table class="problem-boards">
      <thead>
        <tr>
          <th scope="col">Target</th>
          <th scope="col">Leader</th>
          <th scope="col" class="right">Best result</th>
          <th scope="col" class="right">Entries</th>
        </tr>
      </thead>
      <tbody>
        ${boards.map((board) => boardRow(board, openTargets.includes(board.target)))}
      </tbody>
    </table>
  </div>`;
}

function boardRow(
  { board, target, leader, team, entries, bestNs, bestRankedBy, unsandboxed }: BoardSummary,
  isOpen: boolean,
): Html {
  return html`<tr>
    <th scope="row">
      <a class="target" href="/boards/${board}/${target}">${target}</a>
      ${isOpen ? null : html`<small>closed</small>`}
    </th>
    <td>
      ${leader === null ? html`<span class="quiet">no entries yet</span>` : entrantName({ team, account: leader })}
      ${unsandboxed ? UNSANDBOXED : null}
    </td>
    <td class="right number">${bestNs === null ? NONE : formatBest(bestNs, bestRankedBy)}</td>
    <td class="right number">${entries.toLocaleString("en-US")}</td>
  </tr>`;
}

function commands(name: string, target: string, server: string): Html {
  return html`${terminalCommands(
      server,
      `kernelbot init ${name}      # creates a folder with the problem, starters and a guide
cd ${name}
kernelbot eval kernel.py --problem problem/${name}      # judges on this machine
kernelbot submit kernel.py --target ${target} --mode ranked`,
    )}
    <p>
      Mode <code>test</code> checks correctness, <code>benchmark</code> also measures the runtime,
      <code>ranked</code> also enters the leaderboard, and <code>profile</code> shows where the kernel spends its time.
    </p>`;
}
