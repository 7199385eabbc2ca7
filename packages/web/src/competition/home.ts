import { hasProblem, phaseOf, type BoardSummary, type Competition } from "@kernelbot/core";
import { boardList } from "../board/list.ts";
import { dates } from "./page.ts";
import { html, type Html } from "../html.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";

export interface HomePage {
  boards: readonly BoardSummary[];
  competitions: readonly Competition[];
  /** Base URL of this server, for the commands. */
  server: string;
  /** Revision of the viewer's lists after which `/updates` continues. */
  revision: number;
  now: Date;
  visit: Visit;
}

const ABOUT =
  "Submit a kernel. It is checked in a sandbox, timed from outside the sandbox on secret inputs, and ranked by runtime, with a 95 % confidence interval.";

/** Renders the home page: running, upcoming and ended competitions, practice boards, and how to submit. */
export function homePage({ boards, competitions, server, revision, now, visit }: HomePage): Promise<string> {
  const inPhase = (phase: ReturnType<typeof phaseOf>): Competition[] =>
    competitions.filter((competition) => phaseOf(competition, now) === phase);
  return page({
    title: "KernelBot",
    visit,
    description: ABOUT,
    islands: ["live"],
    body: html`
      <h1>Make kernels fast</h1>
      <p class="lead">${ABOUT}</p>
      <p class="ways"><a class="button" href="#submit">Submit</a></p>
      <div id="lists" data-live="/updates?after=${revision}">
        ${inPhase("running").map((competition) => running(competition, boards, now))}
        ${list("Upcoming", "coming", inPhase("upcoming"), now)} ${practice(boards, competitions)}
        ${list("Ended", "ended", inPhase("ended"), now)}
      </div>
      ${howTo(exampleOf(boards), server)}
    `,
  });
}

function running(competition: Competition, boards: readonly BoardSummary[], now: Date): Html {
  const { name, title } = competition;
  const own = boards.filter(({ board }) => hasProblem(competition, board));
  return html`<section aria-labelledby="competition-${name}" class="competition">
    <h2 id="competition-${name}"><a href="/competitions/${name}">${title}</a></h2>
    <p class="left">${dates(competition, now)}</p>
    ${own.length === 0 ? html`<p class="empty">The problems have not been published yet.</p>` : boardList(own)}
  </section>`;
}

/** Renders the boards outside competitions; null if there are competitions but no such boards. */
function practice(boards: readonly BoardSummary[], competitions: readonly Competition[]): Html | null {
  const inCompetition = new Set(competitions.flatMap(({ problems }) => problems.map(({ name }) => name)));
  const free = boards.filter(({ board }) => !inCompetition.has(board));
  if (competitions.length > 0 && free.length === 0) return null;
  return html`<section aria-labelledby="boards">
    <h2 id="boards">${competitions.length > 0 ? "Practice" : "Leaderboards"}</h2>
    ${
      free.length === 0
        ? html`<p class="empty">
            This server has no problems yet. An organiser uploads problems with
            <code>kernelbot problems sync --from FOLDER</code>.
          </p>`
        : boardList(free)
    }
  </section>`;
}

function list(heading: string, id: string, competitions: readonly Competition[], now: Date): Html | null {
  if (competitions.length === 0) return null;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    <ul class="competitions">
      ${competitions.map(
        (competition) =>
          html`<li>
            <a href="/competitions/${competition.name}">${competition.title}</a>
            <small>${dates(competition, now)}</small>
          </li>`,
      )}
    </ul>
  </section>`;
}

/** Returns the board for the example commands: one that has entries, else one on `cpu`, else the first. */
function exampleOf(boards: readonly BoardSummary[]): BoardSummary | undefined {
  return boards.find(({ entries }) => entries > 0) ?? boards.find(({ target }) => target === "cpu") ?? boards[0];
}

function howTo(example: BoardSummary | undefined, server: string): Html {
  const board = example?.board ?? "BOARD";
  return html`<section aria-labelledby="submit">
    <h2 id="submit">Submit a kernel</h2>
    ${
      example === undefined
        ? null
        : html`<p>
            In the browser, choose a problem and <a href="/problems/${board}/submit">write or upload a file</a>. From a
            terminal:
          </p>`
    }
    <pre tabindex="0" aria-label="Commands"><code>export KERNELBOT_SERVER=${server}
kernelbot login                   # once: signs this terminal in to your account
kernelbot problems                # lists the problems and their starter files
kernelbot submit my.py --board ${board} --target ${example?.target ?? "TARGET"} --mode ranked</code></pre>
    <p>
      Mode <code>test</code> checks correctness, <code>benchmark</code> also measures the runtime,
      <code>ranked</code> also enters the leaderboard, and <code>profile</code> shows where the kernel spends its time.
    </p>
  </section>`;
}
