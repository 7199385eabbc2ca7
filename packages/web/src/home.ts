import { entrantName, formatNs, type BoardSummary, type Competition } from "@kernelbot/core";
import { dates } from "./competition.ts";
import { html, type Html } from "./html.ts";
import { page } from "./layout.ts";
import type { Visit } from "./visit.ts";
import { UNSANDBOXED } from "./timing.ts";
import { count } from "./words.ts";

export interface HomePage {
  boards: readonly BoardSummary[];
  competitions: readonly Competition[];
  /** Its own address, for the commands. */
  server: string;
  now: Date;
  visit: Visit;
}

/** The first page: what this is, the boards by competition, and how to take part. */
export function homePage({ boards, competitions, server, now, visit }: HomePage): Promise<string> {
  const example =
    boards.find(({ entries }) => entries > 0) ?? boards.find(({ target }) => target === "cpu") ?? boards[0];
  return page({
    title: "KernelBot",
    visit,
    body: html`
      <h1>Make kernels fast</h1>
      <p class="lead">
        Hand in a kernel. It is checked in a sandbox, timed by a clock that it cannot reach, on inputs that it has never
        seen, and ranked with the interval of its time.
      </p>
      ${competitions.map((competition) => competitionBoards(competition, boards, now))}
      ${practice(boards, competitions)}
      <h2 id="submit">Take part</h2>
      <p>Choose a board, write a file that defines <code>custom_kernel</code>, and hand it in from a terminal:</p>
      <pre><code>export KERNELBOT_SERVER=${server}
kernelbot login                   # once; opens your account to this terminal
kernelbot problems                # what there is, with a starter file each
kernelbot submit my.py --board ${example?.board ?? "BOARD"} --target ${example?.target ?? "TARGET"} --mode ranked</code></pre>
      <p>
        Mode <code>test</code> only checks, <code>benchmark</code> also times, <code>ranked</code> checks, times and
        enters the board, and <code>profile</code> says where the time goes.
      </p>
    `,
  });
}

function competitionBoards(competition: Competition, boards: readonly BoardSummary[], now: Date): Html {
  const { name, title, problems } = competition;
  const own = boards.filter(({ board }) => problems.includes(board));
  return html`<section aria-labelledby="competition-${name}">
    <h2 id="competition-${name}">
      <a href="/competitions/${name}">${title}</a> <small>${dates(competition, now)}</small>
    </h2>
    ${own.length === 0 ? html`<p>It has no problems yet.</p>` : boardTable(own)}
  </section>`;
}

/** The boards of no competition: the whole list where there are no competitions. */
function practice(boards: readonly BoardSummary[], competitions: readonly Competition[]): Html | null {
  const taken = new Set(competitions.flatMap(({ problems }) => problems));
  const free = boards.filter(({ board }) => !taken.has(board));
  if (competitions.length > 0 && free.length === 0) return null;
  return html`<h2 id="boards">${competitions.length > 0 ? "Practice" : "Boards"}</h2>
    ${free.length === 0 ? html`<p>This server has no problems yet.</p>` : boardTable(free)}`;
}

/** A row for each problem: who leads where somebody does, and the targets that wait for a first entry. */
export function boardTable(boards: readonly BoardSummary[]): Html {
  const problems = Map.groupBy(boards, ({ board }) => board);
  return html`<div class="scroll">
    <table class="boards">
      <thead>
        <tr>
          <th scope="col">Problem</th>
          <th scope="col">Leaders</th>
        </tr>
      </thead>
      <tbody>
        ${[...problems].map(
          ([problem, boards]) =>
            html`<tr>
              <th scope="row">${problem}</th>
              <td>${leaders(boards)} ${openBoards(boards)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function leaders(boards: readonly BoardSummary[]): (Html | null)[] {
  return boards.map((board) =>
    board.leader === null || board.bestNs === null
      ? null
      : html`<p>
          ${boardLink(board)}
          <strong class="number nowrap">${formatNs(board.bestNs)}</strong>
          ${entrantName({ team: board.team, account: board.leader })} ${board.unsandboxed ? UNSANDBOXED : null}
          <small class="nowrap">${count(board.entries, "entry", "entries")}</small>
        </p>`,
  );
}

function openBoards(boards: readonly BoardSummary[]): Html | null {
  const open = boards.filter((board) => board.entries === 0);
  return open.length === 0 ? null : html`<p><small>No entry yet:</small> ${open.map(boardLink)}</p>`;
}

function boardLink({ board, target }: BoardSummary): Html {
  return html`<a class="target" href="/boards/${board}/${target}">${target}</a> `;
}
