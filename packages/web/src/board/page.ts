import { entrantName, formatRankingWords, formatTargetStatuses, type Board, type BoardRow } from "@kernelbot/core";
import { html, piece, type Html } from "../html.ts";
import { boardFeedPath } from "../feed/feeds.ts";
import { page, type PageFeed } from "../layout/layout.ts";
import { count } from "../layout/format.ts";
import { boardPath, matchingRows } from "./filter.ts";
import { about } from "./summary.ts";
import { entriesOf, type BoardPage } from "./page-data.ts";
import { figures, head, phase } from "./header.ts";
import { pageLinks, pageWith, formatSpan } from "../layout/pagination.ts";
import { progress } from "./history.ts";
import { table } from "./table.ts";
import { trendOf } from "./trend.ts";
import { filters, selectionForm } from "./filter-form.ts";

/** Renders a board: the best run of each account or team, best first. */
export function boardPage(data: BoardPage): Promise<string> {
  const { board, filter, visit } = data;
  const [best] = board.rows;
  const matches = matchingRows(board.rows, filter);
  return page({
    title: `${board.board} on ${board.target}`,
    description: `${count(entriesOf(data), "entry", "entries")}${best === undefined ? "" : `, led by ${entrantName(best)} with ${formatRankingWords(best)}`}.`,
    trend: trendOf(data.history),
    visit,
    feed: feedOf(data),
    islands: isFinal(data) ? ["chart", "board", "live"] : ["live", "chart", "board"],
    paintAfter: matches.length === 0 ? undefined : "entries",
    body: html`<div id="live" data-live="${updates(data)}">
        ${head(data)} ${board.rows.length === 0 ? empty(data) : content(data, matches)}
      </div>
      ${foot(data)}`,
  });
}

/** Returns the feed of the records; undefined on boards that anonymous viewers may not see. */
function feedOf({ board, competition }: BoardPage): PageFeed | undefined {
  if (competition?.visibility === "closed") return undefined;
  return { path: boardFeedPath(board), title: `Records: ${board.board} on ${board.target}` };
}

/** Renders a board that has entries. `matches` are all rows that match the filter, not only those of the page. */
function content(data: BoardPage, matches: readonly BoardRow[]): Html {
  const { board, filter } = data;
  const isOwn = ownBy(data.viewerId);
  const span = pageWith(filter.from, data.whole?.entries ?? matches.length);
  const rows = matches.slice(span.from - 1, span.to);
  const rangeText = formatSpan(span);
  const caption = `Entries ${rangeText === null ? "" : `${rangeText}, `}${board.ranking === "time" ? "fastest" : "best"} first`;
  return piece`<div class="glance" id="glance">${figures(data)} ${progress(data.history, chartEnd(data))}</div>
    ${filters(data)} ${about(data, matches, board.rows.find(isOwn))}
    ${rows.length === 0 ? null : table({ board, rows, caption, cases: filter.cases, isOwn })}
    ${pageLinks("leaderboard", span, (from) => pathFrom(data, from))} ${selectionForm(data)}`;
}

/** Returns the path of the page that begins with a row. Its anchor skips the head, which is the same on each page. */
function pathFrom({ board, filter }: BoardPage, from: number): string {
  return `${boardPath(board, { ...filter, from })}#entries`;
}

/** Returns the URL of the board's live updates, or `no` for final boards and former revisions. */
function updates(data: BoardPage): string {
  const { board, runners } = data;
  if (isFinal(data) || board.revision !== board.currentRevision) return "no";
  const statuses = formatTargetStatuses([board.target], () => runners);
  return `${boardPath(board)}/updates?${board.unfrozen ? "unfrozen=true&" : ""}after=${board.changeNumber}&runners=${statuses}`;
}

/** Returns whether the board is final. A frozen board still changes when it is revealed. */
function isFinal({ board, competition, now }: BoardPage): boolean {
  return phase(competition, now) === "ended" && board.freeze === null;
}

/** Returns the end of the record's line: the present, or the end of the competition. */
function chartEnd({ competition, now }: BoardPage): Date {
  return phase(competition, now) === "ended" && competition !== null ? new Date(competition.endsAt) : now;
}

/** Returns a predicate for the rows of the viewer and of the viewer's teams. */
function ownBy(viewerId: string | null): (row: BoardRow) => boolean {
  if (viewerId === null) return () => false;
  return ({ account, team }) =>
    team === null ? account.id === viewerId : team.members.some(({ id }) => id === viewerId);
}

function empty({ board, competition, now }: BoardPage): Html {
  if (board.revision !== board.currentRevision) return html`<p class="empty">This revision has no entries.</p>`;
  switch (phase(competition, now)) {
    case "upcoming":
      return html`<div class="empty">
        <p>The competition has not started. Until then, submissions can be tested but not ranked:</p>
        ${command(board, "test")}
      </div>`;
    case "ended":
      return html`<p class="empty">The competition ended without entries.</p>`;
    case "open":
      return html`<div class="empty">
        <p>No entries yet. Be the first:</p>
        ${command(board, "ranked")}
      </div>`;
  }
}

function command({ board, target }: Board, mode: string): Html {
  return html`<pre><code>kernelbot submit my.py --board ${board} --target ${target} --mode ${mode}</code></pre>`;
}

function foot(data: BoardPage): Html {
  const { board } = data;
  const feed = feedOf(data);
  return html`<p class="foot">
    <small>
      Revision ${board.revision}, problem version <code>${board.problemVersion.slice(0, 12)}</code>.
      <a
        href="/api/v1/boards/${board.board}/${board.target}${board.revision === board.currentRevision ? "" : `?revision=${board.revision}`}"
        >Download as JSON</a
      >${feed === undefined ? null : html` · <a href="${feed.path}">Feed of records</a>`}
    </small>
  </p>`;
}
