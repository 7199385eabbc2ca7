/** What is said over the rows: how many there are, where the viewer stands, and what the columns mean. */
import { formatNs, type Board, type BoardRow } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { count } from "../words.ts";
import { boardPath, isFiltering } from "./filter.ts";
import type { BoardPage } from "./page.ts";
import { recordList } from "./progress.ts";

export const RANKED_BY: Record<Board["rankingBy"], string> = {
  last: "the time of the last case",
  mean: "the mean time of the cases",
  geom: "the geometric mean of the times of the cases",
};

/** `shown` are the rows that pass the filter, `own` is the viewer's, whether it passes or not. */
export function about(page: BoardPage, shown: readonly BoardRow[], own: BoardRow | undefined): Html {
  const { board, filter, history } = page;
  return html`<div class="about">
    <p role="status">${found(page, shown.length)}</p>
    ${own === undefined ? null : ownRow(own, shown.includes(own))}
    <details id="how">
      <summary>How to read this</summary>
      <p>
        Entries are ranked by ${RANKED_BY[board.rankingBy]}. Times that the measurement cannot tell apart share a rank.
        The speed-up is over the reference, timed in the same session. The floor is the least time in which the hardware
        can do it. A confirmed time is that of a re-run on fresh seeds. What an entry is behind the one above it is
        quiet where it may be nothing.
      </p>
    </details>
    ${recordList(history)} ${filter.cases ? caseList(board) : null}
  </div>`;
}

function found({ board, filter }: BoardPage, shown: number): Html {
  const all = count(board.rows.length, "entry", "entries");
  if (!isFiltering(filter)) return html`${all}`;
  const unfiltered = boardPath(board, { ...filter, author: null, standing: null, search: "" });
  return html`${shown === 0 ? `None of ${all} is like that.` : `${shown.toLocaleString("en-US")} of ${all}.`}
    <a href="${unfiltered}">Show all</a>`;
}

function ownRow({ rank, timeNs, team, submissionId }: BoardRow, isShown: boolean): Html {
  const place = `rank ${rank} with ${formatNs(timeNs.value)}`;
  return html`<p>
    <span class="badge good">you</span> ${team?.name}
    ${isShown ? html`<a href="#s${submissionId}">${place}</a>` : `${place}, not among these`}
  </p>`;
}

function caseList({ cases }: Board): Html {
  return html`<ol class="case-names">
    ${cases.map((words) => html`<li><code>${words}</code></li>`)}
  </ol>`;
}
