import { entrantName, formatNs, type Board, type BoardHistory, type BoardRow, type Competition } from "@kernelbot/core";
import { html, piece, type Html } from "../html.ts";
import { pageInParts } from "../layout.ts";
import type { Visit } from "../visit.ts";
import { count, moment } from "../words.ts";
import { boardPath, matching, type BoardFilter } from "./filter.ts";
import { about } from "./about.ts";
import { figures, head, phase } from "./head.ts";
import { progress } from "./progress.ts";
import { parts, TABLE_END, tableStart, type Table } from "./rows.ts";
import { chosen, filters } from "./tools.ts";

export interface BoardPage {
  board: Board;
  history: BoardHistory;
  /** The competition of its problem; null for practice. */
  competition: Competition | null;
  /** On which its problem can be run, this one among them. */
  targets: readonly string[];
  filter: BoardFilter;
  /** Whether only the rows that are kept up to date are asked for: those that a page which is open swaps. */
  isUpdate?: boolean;
  now: Date;
  visit: Visit;
}

/** So many rows are kept up to date; those after them are as of when the page was loaded. */
export const LIVE_ROWS = 200;
/** So many are sent with the head of a board that has more than the live ones: about two screens. */
const FIRST_LOOK = 45;
/** So many rows more are sent at a time. */
const AT_A_TIME = 500;

/** A board: the best run of each account or team, from fast to slow. Its first rows are sent before the others are made. */
export function boardPage(data: BoardPage): AsyncGenerator<string, void> {
  const { board, competition, filter, now, visit } = data;
  const [best] = board.rows;
  const rows = matching(board.rows, filter);
  return pageInParts({
    title: `${board.board} on ${board.target}`,
    description: `${count(board.rows.length, "entry", "entries")}${best === undefined ? "" : `, led by ${entrantName(best)} with ${formatNs(best.timeNs.value)}`}.`,
    visit,
    islands: phase(competition, now) === "ended" ? ["chart", "board", "live"] : ["live", "chart", "board"],
    paintedWith: rows.length === 0 ? undefined : "from-1",
    parts: content(data, rows),
  });
}

function* content(data: BoardPage, rows: readonly BoardRow[]): Generator<Html> {
  const { board, filter, isUpdate = false, visit } = data;
  const isOwn = ownBy(visit);
  const table = { board, cases: filter.cases, isOwn };
  const first: Table = { ...table, rows: rows.slice(0, LIVE_ROWS), from: 1 };
  const rest: Table = { ...table, rows: isUpdate ? [] : rows.slice(LIVE_ROWS), from: LIVE_ROWS + 1 };
  // A board that is short enough is sent in one piece.
  const [look = null, ...others] =
    first.rows.length === 0 ? [] : parts(first, rest.rows.length > 0 ? FIRST_LOOK : LIVE_ROWS);
  yield piece`<div id="live" data-live="${updates(data)}" data-live-query="update=1">
    ${head(data)}
    ${board.rows.length === 0 ? null : html`<div class="glance" id="glance">${figures(data)} ${progress(data.history)}</div>`}
    ${board.rows.length === 0 ? empty(data) : html`${filters(data)} ${about(data, rows, board.rows.find(isOwn))}`}
    ${look === null ? null : piece`${tableStart(first, "Entries from fast to slow")}${look}`}`;
  yield piece`${others}${look === null ? null : TABLE_END}
    ${isUpdate && rows.length > LIVE_ROWS ? cut(data, rows.length) : null}
    ${board.rows.length === 0 ? null : chosen(data)}
  </div>`;
  if (rest.rows.length > 0) {
    yield piece`<div id="rest">${stale(data)}${tableStart(rest, `Entries from ${LIVE_ROWS + 1} on`)}`;
    yield* parts(rest, AT_A_TIME);
    yield piece`${TABLE_END}</div>`;
  }
  yield foot(board);
}

/** Where its updates are told; a board that is final has none. */
function updates({ board, competition, now }: BoardPage): string {
  if (phase(competition, now) === "ended") return "no";
  return `${boardPath(board)}/updates?after=${board.revision}`;
}

/** Whether a row is the viewer's, or that of a team of the viewer. */
function ownBy({ viewer }: Visit): (row: BoardRow) => boolean {
  if (viewer === null) return () => false;
  return ({ account, team }) =>
    team === null ? account.id === viewer.id : team.members.some(({ id }) => id === viewer.id);
}

/** Over the rows that are not kept up to date, once others were. */
function stale({ now, visit }: BoardPage): Html {
  return html`<p class="notice care" id="stale" hidden>
    The rows from ${LIVE_ROWS + 1} on are as of ${moment(now.toISOString())}. <a href="${visit.path}">Load them anew</a>
  </p>`;
}

/** Under the rows of an update, of which a page that is open shows more below. */
function cut({ board, filter }: BoardPage, rows: number): Html {
  return html`<p class="cut" id="cut">
    These are the first ${LIVE_ROWS} of ${rows.toLocaleString("en-US")}.
    <a href="${boardPath(board, filter)}">Show all</a>
  </p>`;
}

function empty({ board, competition, now }: BoardPage): Html {
  switch (phase(competition, now)) {
    case "upcoming":
      return html`<div class="empty">
        <p>This board opens with its competition. Until then, submissions can be tested but not ranked:</p>
        ${command(board, "test")}
      </div>`;
    case "ended":
      return html`<p class="empty">It ended without an entry.</p>`;
    case "open":
      return html`<div class="empty">
        <p>Nobody is on this board yet. Be the first:</p>
        ${command(board, "ranked")}
      </div>`;
  }
}

function command({ board, target }: Board, mode: string): Html {
  return html`<pre><code>kernelbot submit my.py --board ${board} --target ${target} --mode ${mode}</code></pre>`;
}

function foot(board: Board): Html {
  return html`<p class="foot">
    <small>
      Problem version <code>${board.problemVersion.slice(0, 12)}</code>.
      <a href="/api/v1/boards/${board.board}/${board.target}">This board as data</a>
    </small>
  </p>`;
}
