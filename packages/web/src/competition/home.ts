import {
  canRun,
  compareTargets,
  formatTargetStatuses,
  hasProblem,
  phaseOf,
  type BoardSummary,
  type Competition,
  type TargetAvailability,
} from "@kernelbot/core";
import { boardList } from "../board/list.ts";
import { dates } from "./page.ts";
import { NEWS_FEED } from "../feed/feeds.ts";
import { html, type Html } from "../html.ts";
import { terminalCommands } from "../layout/commands.ts";
import { count } from "../layout/format.ts";
import { page } from "../layout/layout.ts";
import type { Visit } from "../layout/page-context.ts";

interface HomePage {
  /** Boards of competitions, and of the first practice problems. */
  boards: readonly BoardSummary[];
  /** Number of practice problems. */
  practice: number;
  competitions: readonly Competition[];
  /** Returns whether runners of a target are online. */
  availabilities: (target: string) => Pick<TargetAvailability, "status">;
  /** Base URL of this server, for the commands. */
  server: string;
  /** Change number of the viewer's lists after which `/updates` continues. */
  changeNumber: number;
  now: Date;
  visit: Visit;
}

const ABOUT =
  "Submit a kernel. It is checked in a sandbox, timed from outside the sandbox on secret inputs, and ranked by runtime, with a 95 % confidence interval.";

/** Renders the home page: running, upcoming and ended competitions, practice boards, and how to submit. */
export function homePage(shown: HomePage): Promise<string> {
  const { boards, competitions, availabilities, server, changeNumber, now, visit } = shown;
  const runnable = runnableOf(shown);
  const start = startBoard(boards, runnable);
  const statuses = formatTargetStatuses(
    boards.map(({ target }) => target),
    availabilities,
  );
  const inPhase = (phase: ReturnType<typeof phaseOf>): Competition[] =>
    competitions.filter((competition) => phaseOf(competition, now) === phase);
  return page({
    title: "KernelBot",
    visit,
    description: ABOUT,
    feed: { path: NEWS_FEED, title: "Competitions" },
    islands: ["live"],
    body: html`
      <h1>Make kernels fast</h1>
      <p class="lead">${ABOUT}</p>
      <p class="buttons"><a class="button" href="#submit">Submit</a></p>
      <div id="lists" data-live="${`/updates?after=${changeNumber}&runners=${statuses}`}">
        ${inPhase("running").map((competition) => running(competition, shown))}
        ${list("Upcoming", "coming", inPhase("upcoming"), now)} ${practice(shown, runnable, start)}
        ${list("Ended", "ended", inPhase("ended"), now)}
      </div>
      <p><a href="${NEWS_FEED}">Feed of competitions</a></p>
      ${howTo(start, server)}
    `,
  });
}

/** Returns the targets whose runs can start. */
function runnableOf({ boards, availabilities }: HomePage): ReadonlySet<string> {
  return new Set(boards.map(({ target }) => target).filter((target) => canRun(availabilities(target))));
}

function running(competition: Competition, { boards, now }: HomePage): Html {
  const { name, title } = competition;
  const own = boards.filter(({ board }) => hasProblem(competition, board));
  return html`<section aria-labelledby="competition-${name}" class="competition">
    <h2 id="competition-${name}"><a href="/competitions/${name}">${title}</a></h2>
    <p class="time-left">${dates(competition, now)}</p>
    ${own.length === 0 ? html`<p class="empty">The problems have not been published yet.</p>` : boardList(own)}
  </section>`;
}

/** Renders the boards outside competitions; null if there are competitions but no such boards. */
function practice(
  { boards, practice: total, competitions }: HomePage,
  runnable: ReadonlySet<string>,
  start: BoardSummary | undefined,
): Html | null {
  const inCompetition = new Set(competitions.flatMap(({ problems }) => problems.map(({ name }) => name)));
  const free = boards.filter(({ board }) => !inCompetition.has(board));
  if (competitions.length > 0 && free.length === 0) return null;
  const open = free.filter(({ target, entries }) => runnable.has(target) || entries > 0);
  const others = free.filter((board) => !open.includes(board));
  return html`<section aria-labelledby="boards">
    <h2 id="boards">${competitions.length > 0 ? "Practice" : "Leaderboards"}</h2>
    ${
      free.length === 0
        ? html`<p class="empty">
            This server has no problems yet. An organiser uploads problems with
            <code>kernelbot problems sync --from FOLDER</code>.
          </p>`
        : open.length === 0
          ? html`<p class="notice care">
                No runner is connected, so submissions stay queued. <a href="/queue">Runners and queue</a>
              </p>
              ${boardList(free, start?.board)}`
          : html`${boardList(open, start?.board)} ${needsOtherHardware(others)}`
    }
    ${
      total > new Set(free.map(({ board }) => board)).size
        ? html`<p><a href="/problems">All ${count(total, "problem", "problems")}</a></p>`
        : null
    }
  </section>`;
}

/** Renders the boards on targets that no runner serves, collapsed; null if there are none. */
function needsOtherHardware(boards: readonly BoardSummary[]): Html | null {
  if (boards.length === 0) return null;
  const targets = [...new Set(boards.map(({ target }) => target))].toSorted(compareTargets);
  return html`<details id="other-hardware">
    <summary>Needs other hardware: <small>${targets.join(", ")}</small></summary>
    <p class="quiet">
      No runner for these targets is connected. Submissions stay queued until one connects.
      <a href="/queue">Runners and queue</a>
    </p>
    ${boardList(boards)}
  </details>`;
}

function list(heading: string, id: string, competitions: readonly Competition[], now: Date): Html | null {
  if (competitions.length === 0) return null;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${heading}</h2>
    <ul class="plain">
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

/** Problem of the tutorial for participants, `docs/start/participant.md`. */
const TUTORIAL_PROBLEM = "vectoradd";

/**
 * Returns the board to start with, which the example commands use: of those that can run now, that of the tutorial, else
 * the one with the most entries, else one on `cpu`. If none can run, it is one of all boards.
 */
function startBoard(boards: readonly BoardSummary[], runnable: ReadonlySet<string>): BoardSummary | undefined {
  const running = boards.filter(({ target }) => runnable.has(target));
  const [first] = (running.length > 0 ? running : boards).toSorted(
    (a, b) =>
      Number(b.board === TUTORIAL_PROBLEM) - Number(a.board === TUTORIAL_PROBLEM) ||
      b.entries - a.entries ||
      Number(b.target === "cpu") - Number(a.target === "cpu"),
  );
  return first;
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
    ${terminalCommands(
      server,
      `kernelbot problems                # lists the problems and their starter files
kernelbot submit my.py --board ${board} --target ${example?.target ?? "TARGET"} --mode ranked`,
    )}
    <p>
      Mode <code>test</code> checks correctness, <code>benchmark</code> also measures the runtime,
      <code>ranked</code> also enters the leaderboard, and <code>profile</code> shows where the kernel spends its time.
    </p>
  </section>`;
}
