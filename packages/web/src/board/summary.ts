/** Summary above a board's rows: number of entries, the viewer's rank, and the meaning of the columns. */
import {
  formatRankingWords,
  formatRankingRule,
  hasInUse,
  inUseSentence,
  REGIMES,
  type Board,
  type BoardRow,
  type Ranking,
} from "@kernelbot/core";
import { html, type Html } from "../html.ts";
import { count } from "../layout/format.ts";
import { entriesOf, isImported, type BoardPage } from "./page-data.ts";
import { boardPath, isFiltering, unfiltered } from "./filter.ts";
import { pageStart } from "../layout/pagination.ts";
import { recordList } from "./history.ts";

const IMPORTED_BOARD =
  "These results were imported from another platform, which judged them by its own rules. Entries are ranked by the runtimes that it reported. Samples, confidence intervals and the runtime of the reference are unknown.";

/** What entries of a board have, in plural. */
const RESULTS: Record<Ranking, string> = {
  time: "runtimes",
  speedup: "speedups",
  sol_score: "scores",
  fraction_of_peak: "scores",
};

/**
 * Renders the summary. `matches` are all rows that match the filter, not only those of the page; `own` is the viewer's
 * row, whether or not the filter matches it.
 */
export function about(page: BoardPage, matches: readonly BoardRow[], own: BoardRow | undefined): Html {
  const { board, filter, history } = page;
  return html`<div class="about">
    <p role="status">${matchCount(page, matches.length)}</p>
    ${own === undefined ? null : ownRow(page, matches, own)}
    ${hasInUse(board) ? html`<p>${inUseSentence(board.applicationGate)} <a href="/docs/explanation/judging#in-use">How kernels run in use</a></p>` : null}
    <details id="how">
      <summary>How to read this leaderboard</summary>
      ${
        isImported(board)
          ? html`<p>${IMPORTED_BOARD}</p>`
          : html`<p>
              Entries are ranked by ${formatRankingRule(board.rankingBy, board.weights !== null, board.ranking)}. Calls
              are timed ${REGIMES[board.regime]}. Entries whose ${RESULTS[board.ranking]} do not differ significantly
              share a rank. The speedup is relative to the reference, timed in the same session. The percentage of speed
              of light is the shortest time that the hardware allows, divided by the runtime. A confirmed entry was
              re-run with fresh seeds and is ranked by that re-run. A faint gap to the entry above is not statistically
              significant.
              ${
                board.rows.some(({ imported }) => imported)
                  ? html`Imported entries were judged by another platform and have the runtime that it reported, without
                    a confidence interval or a receipt.`
                  : null
              }
            </p>`
      }
    </details>
    ${recordList(history)} ${filter.cases ? caseList(board) : null}
  </div>`;
}

function matchCount(page: BoardPage, matches: number): Html {
  const { board, filter } = page;
  const all = count(entriesOf(page), "entry", "entries");
  if (!isFiltering(filter)) return html`${all}`;
  return html`${matches === 0 ? `No matches among ${all}.` : `${matches.toLocaleString("en-US")} of ${all}.`}
    <a href="${boardPath(board, unfiltered(filter))}">Show all</a>`;
}

/**
 * Renders the viewer's rank with a link to the row on its page. If the filter hides the row, the link drops the filter.
 */
function ownRow({ board, filter }: BoardPage, matches: readonly BoardRow[], own: BoardRow): Html {
  const { rank, team, submissionId } = own;
  const isMatch = matches.includes(own);
  const from = pageStart((isMatch ? matches : board.rows).indexOf(own) + 1);
  const path = boardPath(board, { ...(isMatch ? filter : unfiltered(filter)), from });
  return html`<p>
    <span class="badge good">you</span> ${team?.name}
    <a href="${path}#s${submissionId}">rank ${rank} with ${formatRankingWords(own)}</a
    >${isMatch ? null : ", hidden by the filter"}
  </p>`;
}

function caseList({ cases, weights }: Board): Html {
  return html`<ol class="case-names">
    ${cases.map((line, at) => html`<li><code>${line}</code>${weights === null ? null : `, weight ${weights[at]}`}</li>`)}
  </ol>`;
}
