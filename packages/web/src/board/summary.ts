/** Summary above a board's rows: number of entries, the viewer's rank, and the meaning of the columns. */
import { formatNs, type Board, type BoardRow } from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";
import type { BoardPage } from "./page-data.ts";
import { boardPath, isFiltering, unfiltered } from "./filter.ts";
import { entriesOf, pageStart } from "./pagination.ts";
import { recordList } from "./history.ts";

export const RANKED_BY: Record<Board["rankingBy"], string> = {
  last: "the time of the last case",
  mean: "the mean time of the cases",
  geom: "the geometric mean of the times of the cases",
};

const IMPORTED_BOARD =
  "These results were imported: the harness of that time judged them, by rules of its own. Entries are ranked by the times that it gave; their samples and intervals are not known, nor what the reference took.";

/**
 * Renders the summary. `passing` are all rows that match the filter, not only those of the page; `own` is the viewer's
 * row, whether or not the filter matches it.
 */
export function about(page: BoardPage, passing: readonly BoardRow[], own: BoardRow | undefined): Html {
  const { board, filter, history } = page;
  return html`<div class="about">
    <p role="status">${found(page, passing.length)}</p>
    ${own === undefined ? null : ownRow(page, passing, own)}
    <details id="how">
      <summary>How to read this</summary>
      ${
        board.rows[0]?.imported === true
          ? html`<p>${IMPORTED_BOARD}</p>`
          : html`<p>
              Entries are ranked by ${RANKED_BY[board.rankingBy]}. Times that the measurement cannot tell apart share a
              rank. The speed-up is over the reference, timed in the same session. The floor is the least time in which
              the hardware can do it. A confirmed time is that of a re-run on fresh seeds. What an entry is behind the
              one above it is quiet where it may be nothing.
            </p>`
      }
    </details>
    ${recordList(history)} ${filter.cases ? caseList(board) : null}
  </div>`;
}

function found(page: BoardPage, passing: number): Html {
  const { board, filter } = page;
  const all = count(entriesOf(page), "entry", "entries");
  if (!isFiltering(filter)) return html`${all}`;
  return html`${passing === 0 ? `None of ${all} is like that.` : `${passing.toLocaleString("en-US")} of ${all}.`}
    <a href="${boardPath(board, unfiltered(filter))}">Show all</a>`;
}

/**
 * Renders the viewer's rank with a link to the row on its page. If the filter hides the row, the link drops the filter.
 */
function ownRow({ board, filter }: BoardPage, passing: readonly BoardRow[], own: BoardRow): Html {
  const { rank, timeNs, team, submissionId } = own;
  const passes = passing.includes(own);
  const from = pageStart((passes ? passing : board.rows).indexOf(own) + 1);
  const path = boardPath(board, { ...(passes ? filter : unfiltered(filter)), from });
  return html`<p>
    <span class="badge good">you</span> ${team?.name}
    <a href="${path}#s${submissionId}">rank ${rank} with ${formatNs(timeNs.value)}</a
    >${passes ? null : ", not among these"}
  </p>`;
}

function caseList({ cases }: Board): Html {
  return html`<ol class="case-names">
    ${cases.map((words) => html`<li><code>${words}</code></li>`)}
  </ol>`;
}
