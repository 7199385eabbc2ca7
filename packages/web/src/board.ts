import { authorWords, entrantName, formatNs, type Board, type BoardRow } from "@kernelbot/core";
import { html, type Html } from "./html.ts";
import { page } from "./layout.ts";
import type { Visit } from "./visit.ts";
import { marks, speedup, timing } from "./timing.ts";
import { count, moment } from "./words.ts";

export const RANKED_BY: Record<Board["rankingBy"], string> = {
  last: "the time of the last case",
  mean: "the mean time of the cases",
  geom: "the geometric mean of the times of the cases",
};

/** A board: the best run of each account or team, from fast to slow. */
export function boardPage(board: Board, visit: Visit): Promise<string> {
  return page({
    title: `${board.board} on ${board.target}`,
    visit,
    body: html`
      <h1>${board.board} <span class="target">${board.target}</span></h1>
      <p>
        ${count(board.rows.length, "entry", "entries")}, ranked by ${RANKED_BY[board.rankingBy]}. Times that the
        measurement cannot tell apart share a rank; the speed-up is against the reference, timed in the same session. A
        confirmed time is that of a re-run on fresh seeds.
      </p>
      ${board.rows.length === 0 ? emptyBoard(board) : rows(board.rows)}
      <p>
        <small>Problem version <code>${board.problemVersion.slice(0, 12)}</code></small>
      </p>
    `,
  });
}

function emptyBoard(board: Board): Html {
  return html`<p>Nobody is on this board yet. Be the first:</p>
    <pre><code>kernelbot submit my.py --board ${board.board} --target ${board.target} --mode ranked</code></pre>`;
}

function rows(rows: readonly BoardRow[]): Html {
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col" class="right">Rank</th>
          <th scope="col">Who</th>
          <th scope="col" class="right">Time</th>
          <th scope="col" class="right">Speed-up</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              <td class="right number">${row.rank}</td>
              <th scope="row">
                <a href="/submissions/${row.submissionId}">${entrantName(row)}</a>
                ${marks(row)}
                ${
                  row.team === null
                    ? null
                    : html`<small class="block">${row.team.members.map(({ name }) => name).join(", ")}</small>`
                }
                <small class="block"
                  >${[moment(row.submittedAt), row.fileName, authorWords(row.author)]
                    .filter((part) => part !== null)
                    .map((part, index) => html`${index === 0 ? "" : " · "}${part}`)}</small
                >
              </th>
              <td class="right">${timing(row.timeNs)}${standing(row)}</td>
              <td class="right">${speedup(row.speedup)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Whether the time is from a re-run; on hovering, the time by which the entry came to the board. */
function standing({ standing, enteredBy }: BoardRow): Html {
  const before =
    enteredBy === null
      ? "It was not run again on fresh seeds yet."
      : `It entered with ${formatNs(enteredBy.timeNs.value)}.`;
  return html`<small class="block" title="${before}">${standing}</small>`;
}
