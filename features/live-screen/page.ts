/** Live screen of an event: large and without header and footer, for a public display. */
import {
  entrantName,
  entrantOf,
  formatRankingValue,
  formatRankingWords,
  phaseOf,
  formatTimeLeft,
  RANKING_NAMES,
  type Board,
  type BoardRow,
  type BoardSummary,
  type Competition,
} from "@kernelbot/core";
import type { Visit } from "@kernelbot/web";
import { count, html, moment, page, type Html } from "@kernelbot/web/blocks";

/** Number of rows shown of a board. */
const TOP = 10;
/** Maximum number of boards side by side. If there are more, `ROTATING_COLUMNS` are shown at a time, in rotation. */
const MAX_COLUMNS = 4;
const ROTATING_COLUMNS = 3;
/** Number of lines under "Latest". */
const NEWS = 4;

interface ScreenPage {
  boards: readonly Board[];
  /** Whether the boards are those of the competition, instead of boards named one by one. */
  isWhole: boolean;
  /** Competition whose time is counted down; null for none. */
  competition: Competition | null;
  now: Date;
  visit: Visit;
}

export function screenPage({ boards, isWhole, competition, now, visit }: ScreenPage): Promise<string> {
  const shown = boards.some(({ rows }) => rows.length > 0) ? boards.filter(({ rows }) => rows.length > 0) : boards;
  const open = boards.filter((board) => !shown.includes(board));
  const title = competition?.title ?? (boards.length === 1 ? nameOf(boards[0] as Board) : "Live");
  const perTurn = shown.length <= MAX_COLUMNS ? shown.length : ROTATING_COLUMNS;
  return page({
    title,
    // Dark by default, since event venues are.
    visit: { ...visit, theme: visit.theme ?? "dark" },
    islands: ["screen"],
    isBare: true,
    body: html`<div class="screen">
      <header>
        <h1>${title}</h1>
        ${competition === null ? null : countdown(competition, now)}
      </header>
      <div
        class="columns columns-${perTurn}"
        data-boards
        data-turn="${perTurn}"
        data-updates="${updatesOf(boards, isWhole ? competition : null)}"
      >
        ${shown.length === 0 ? html`<p class="empty">The problems have not been published yet.</p>` : shown.map(column)}
      </div>
      <footer>
        <section aria-labelledby="news">
          <h2 id="news">Latest</h2>
          <ul data-news aria-live="polite">
            ${latest(shown).map(({ board, row }) => html`<li>${newsLine(board, row, now)}</li>`)}
          </ul>
        </section>
        <p class="state">
          ${open.length === 0 ? null : html`<span class="block">${count(open.length, "leaderboard", "leaderboards")} without entries</span>`}
          <span data-state
            >As of <time datetime="${now.toISOString()}">${now.toISOString().slice(11, 16)} UTC</time></span
          >
          <a href="${visit.path}">Refresh</a> <a href="/live">Choose leaderboards</a> <a href="/">KernelBot</a>
        </p>
      </footer>
    </div>`,
  });
}

function nameOf({ board, target }: Pick<Board, "board" | "target">): string {
  return `${board} ${target}`;
}

/**
 * Returns the URLs of the streams with updates of the boards, separated by spaces. Many boards share a stream, since
 * browsers limit the connections to one server.
 */
function updatesOf(boards: readonly Board[], competition: Competition | null): string {
  if (competition !== null) return `/updates?competition=${competition.name}`;
  if (boards.length > MAX_COLUMNS) return "/updates";
  return boards.map(({ board, target }) => `/boards/${board}/${target}/updates`).join(" ");
}

function countdown(competition: Competition, now: Date): Html {
  const phase = phaseOf(competition, now);
  const until = phase === "upcoming" ? competition.startsAt : competition.endsAt;
  return html`<p class="countdown">
    <time datetime="${until}" data-countdown="${phase}">${formatTimeLeft(competition, now)}</time>
  </p>`;
}

function column(board: Board): Html {
  const { rows, target } = board;
  return html`<section id="${board.board}-${target}" aria-label="${nameOf(board)}" data-board="${nameOf(board)}">
    <h2>${board.board} <span class="target">${target}</span></h2>
    ${board.freeze === null ? null : html`<p class="frozen">Frozen until ${moment(board.freeze.until)} UTC</p>`}
    ${
      rows.length === 0
        ? html`<p class="empty">No entries yet.</p>`
        : html`<table>
            <caption class="visually-hidden">
              Top ${Math.min(TOP, rows.length)} of ${rows.length} on ${nameOf(board)}
            </caption>
            <thead class="visually-hidden">
              <tr>
                <th scope="col">Rank</th>
                <th scope="col">Participant</th>
                <th scope="col">${RANKING_NAMES[board.ranking]}</th>
              </tr>
            </thead>
            <tbody>
              ${rows.slice(0, TOP).map(line)}
            </tbody>
          </table>`
    }
    ${rows.length > TOP ? html`<p class="more">and ${rows.length - TOP} more</p>` : null}
  </section>`;
}

function line(row: BoardRow): Html {
  const time = formatRankingValue(row);
  return html`<tr data-entrant="${entrantOf(row).id}" data-rank="${row.rank}" data-time="${formatRankingWords(row)}">
    <td class="number rank">${row.rank}</td>
    <th scope="row"><span>${entrantName(row)}</span></th>
    <td class="number time">${time}</td>
  </tr>`;
}

/** Returns the newest of the entries that are shown, newest first. */
function latest(boards: readonly Board[]): { board: Board; row: BoardRow }[] {
  return boards
    .flatMap((board) => board.rows.slice(0, TOP).map((row) => ({ board, row })))
    .toSorted((a, b) => b.row.submittedAt.localeCompare(a.row.submittedAt))
    .slice(0, NEWS);
}

function newsLine(board: Board, row: BoardRow, now: Date): Html {
  const isToday = now.toISOString().startsWith(row.submittedAt.slice(0, 10));
  return html`<time datetime="${row.submittedAt}"
      >${isToday ? `${row.submittedAt.slice(11, 16)} UTC` : row.submittedAt.slice(0, 10)}</time
    >
    <strong>${entrantName(row)}</strong> is at rank ${row.rank} on ${nameOf(board)},
    <span class="number">${formatRankingWords(row)}</span>`;
}

interface ChooseScreenPage {
  boards: readonly BoardSummary[];
  competitions: readonly Competition[];
  /** Maximum number of boards on a screen. */
  most: number;
  visit: Visit;
}

/** Renders the page on which the content of a screen is chosen. */
export function chooseScreenPage({ boards, competitions, most, visit }: ChooseScreenPage): Promise<string> {
  const withBoards = competitions.filter(({ problems }) => problems.length > 0);
  return page({
    title: "Live screen",
    visit,
    body: html`
      <h1>Live screen</h1>
      <p class="lead">
        Leaderboards for a public display at an event: the top ten of each, the time left and the latest changes. The
        page updates itself.
      </p>
      ${
        withBoards.length === 0
          ? null
          : html`<h2>Competition</h2>
              <ul>
                ${withBoards.map(({ name, title }) => html`<li><a href="/live?competition=${name}">${title}</a></li>`)}
              </ul>`
      }
      ${
        boards.length === 0
          ? html`<p class="empty">This server has no leaderboards yet.</p>`
          : html`<h2>Selected leaderboards</h2>
              <form method="get" action="/live" class="choose">
                <p class="quiet">Up to ${most}. Up to four are shown side by side; more rotate.</p>
                ${[...Map.groupBy(boards, ({ board }) => board)].map(([problem, targets]) => choices(problem, targets))}
                ${
                  withBoards.length === 0
                    ? null
                    : html`<label for="competition">Countdown to the end of</label>
                        <select id="competition" name="competition">
                          <option value="">None</option>
                          ${withBoards.map(({ name, title }) => html`<option value="${name}">${title}</option>`)}
                        </select>`
                }
                <button>Show</button>
              </form>`
      }
    `,
  });
}

function choices(problem: string, targets: readonly BoardSummary[]): Html {
  return html`<fieldset>
    <legend>${problem}</legend>
    ${targets.map(
      ({ board, target, entries }) =>
        html`<label class="${entries === 0 ? "quiet" : ""}">
          <input type="checkbox" name="board" value="${board}/${target}" />
          ${target} <small>${entries === 0 ? "no entries yet" : count(entries, "entry", "entries")}</small>
        </label> `,
    )}
  </fieldset>`;
}
