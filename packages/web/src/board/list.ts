/** List of boards with their leaders. */
import { formatBest, type BoardSummary } from "@kernelbot/core";
import { freezeBadge } from "../results/freeze.ts";
import { html, type Html } from "../html.ts";
import { personLink } from "../profile/page.ts";
import { UNSANDBOXED } from "../results/timing.ts";
import { count } from "../layout/format.ts";

/**
 * Renders the boards by problem set and problem: one row per target that has a leader, and one row for all targets
 * without an entry.
 * @param start Problem to mark as the place to start, which is listed first.
 */
export function boardList(boards: readonly BoardSummary[], start?: string): Html {
  const isStart = ({ board }: BoardSummary): boolean => board === start;
  const sorted = boards.toSorted(
    (a, b) => Number(isStart(b)) - Number(isStart(a)) || (a.set < b.set ? -1 : a.set > b.set ? 1 : 0),
  );
  const sets = [...Map.groupBy(sorted, ({ set }) => set)];
  return html`<div class="scroll">
    <table class="boards">
      <thead>
        <tr>
          <th scope="col">Problem</th>
          <th scope="col">Target</th>
          <th scope="col" class="right">Best result</th>
          <th scope="col">Leader</th>
        </tr>
      </thead>
      ${sets.map(
        ([set, own]) =>
          html`${sets.length === 1 ? null : setRow(set)}
          ${[...Map.groupBy(own, ({ board }) => board)].map(([problem, targets]) => problemRows(problem, targets, problem === start))}`,
      )}
    </table>
  </div>`;
}

function setRow(set: string): Html {
  return html`<tbody>
    <tr>
      <th scope="rowgroup" colspan="4" class="quiet"><small>${set}</small></th>
    </tr>
  </tbody>`;
}

function problemRows(problem: string, targets: readonly BoardSummary[], isStart: boolean): Html {
  const withLeader = targets.flatMap(({ leader, bestNs, ...rest }) =>
    leader === null || bestNs === null ? [] : [{ ...rest, leader, bestNs }],
  );
  const open = targets.filter(({ leader }) => leader === null);
  const cells = [
    ...withLeader.map(
      ({ board, target, leader, team, bestNs, bestRankedBy, unsandboxed, entries, freeze }) =>
        html`<td>${boardLink(board, target)}</td>
          <td class="right number">${formatBest(bestNs, bestRankedBy)}</td>
          <td>
            ${team === null ? personLink(leader) : team.name} ${unsandboxed ? UNSANDBOXED : null} ${freezeBadge(freeze)}
            <small class="block">${count(entries, "entry", "entries")}</small>
          </td>`,
    ),
    ...(open.length === 0
      ? []
      : [
          html`<td colspan="3">
            ${open.map(({ board, target }) => boardLink(board, target))}
            <small class="nowrap">no entries yet</small>
            ${freezeBadge(open.find(({ freeze }) => freeze !== null)?.freeze ?? null)}
          </td>`,
        ]),
  ];
  return html`<tbody>
    ${cells.map(
      (row, at) =>
        html`<tr>
          ${
            at > 0
              ? null
              : html`<th scope="rowgroup" rowspan="${cells.length}">
                  <a href="/problems/${problem}">${problem}</a>
                  ${isStart ? html`<span class="badge good">Start here</span>` : null}
                </th>`
          }
          ${row}
        </tr>`,
    )}
  </tbody>`;
}

function boardLink(board: string, target: string): Html {
  return html`<a class="target" href="/boards/${board}/${target}" aria-label="${board} on ${target}">${target}</a> `;
}
