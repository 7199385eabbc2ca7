/**
 * The rows of a board. A board may have ten thousand: they stand in groups, of which a browser draws those alone that are
 * in sight (`content-visibility`), which needs rows that are grids of given columns in place of a table's own layout.
 */
import {
  authorWords,
  entrantName,
  formatNs,
  formatRatio,
  formatShare,
  formatSpread,
  personPath,
  shownName,
  type Board,
  type BoardRow,
} from "@kernelbot/core";
import { piece, type Html } from "../html.ts";
import { marks } from "../timing.ts";

const GROUP = 15;

export interface Table {
  board: Board;
  rows: readonly BoardRow[];
  /** Of the first of them. */
  from: number;
  /** Whether the times of the cases have columns. */
  cases: boolean;
  isOwn: (row: BoardRow) => boolean;
}

/** The head of a table of rows; `parts` and `TABLE_END` follow. */
export function tableStart({ board, cases }: Table, caption: string): Html {
  const column = (name: string, meaning: string, kind = "fig"): Html =>
    piece`<th scope="col" class="${kind}" title="${meaning}">${name}</th>`;
  const numbers = cases ? board.cases.map((words, at) => column(`Case ${at + 1}`, words, "case")) : [];
  return piece`<div class="scroll"><table class="ranking${cases ? " with-cases" : ""}"><caption class="spoken">${caption}</caption>
<thead><tr>${column("Rank", "Times that the measurement cannot tell apart share a rank", "rank")}<th scope="col" class="who">Who</th>${column("Time", "With half of its 95 % interval", "time")}${column("Behind", "How much longer it takes than the entry above it on the whole board", "gap more")}${column("Speed-up", "Over the reference, timed in the same session")}${column("Of the floor", "How much of the time the hardware needs at least", "floor more")}${column("Standing", "A confirmed time is that of a re-run on fresh seeds", "more")}${column("Submitted", "In UTC", "more date")}${numbers}${column("Choose", "Two to compare, or up to five for the chart", "choose")}</tr></thead>
`;
}

export const TABLE_END = piece`</table></div>`;

/** Groups of rows, about so many rows at a time. */
export function* parts(table: Table, size: number): Generator<Html> {
  for (let at = 0; at < table.rows.length; at += size) {
    const groups = [];
    for (let from = at; from < Math.min(at + size, table.rows.length); from += GROUP) {
      const rows = table.rows.slice(from, from + GROUP);
      const isFull = rows.length === GROUP && from > 0;
      groups.push(piece`<tbody id="from-${table.from + from}"${isFull ? piece` class="group"` : null}>${rows.map((row) => rowOf(row, table))}</tbody>
`);
    }
    yield piece`${groups}`;
  }
}

function rowOf(row: BoardRow, { cases, isOwn }: Table): Html {
  const { submissionId: id, team, fileName, timeNs, speedup, floorShare, standing, enteredBy, submittedAt } = row;
  const author = authorWords(row.author);
  const own = isOwn(row);
  const name = entrantName(row);
  return piece`<tr id="s${id}"${own ? piece` class="own"` : null}><td class="rank">${row.rank}</td><th scope="row" class="who">${who(row)}${own ? piece` <span class="badge good">you</span>` : null}${row.unsandboxed || row.legacyHarness ? piece` ${marks(row)}` : null}<small>${team === null ? null : piece`${team.members.map(({ name }) => name).join(", ")} · `}<a href="/submissions/${id}">${fileName}</a>${author === null ? null : ` · ${author}`}</small></th><td class="time">${formatNs(timeNs.value)} <small>${formatSpread(timeNs)}</small></td>${gap(row)}<td class="fig">${speedup === null ? "–" : formatRatio(speedup.value)}</td><td class="floor more">${floorShare === null ? "" : formatShare(floorShare)}</td><td class="more${standing === "confirmed" ? null : " faint"}"${enteredBy === null ? null : piece` title="It entered with ${formatNs(enteredBy.timeNs.value)}."`}>${standing}</td><td class="more date"><time datetime="${submittedAt}">${submittedAt.slice(0, 10)}</time></td>${cases ? row.caseTimesNs.map((ns) => piece`<td class="case">${formatNs(ns)}</td>`) : null}<td class="choose"><input type="checkbox" form="chosen" name="with" value="${id}" aria-label="Choose ${name}"></td></tr>
`;
}

/** A team has no page of its own. */
function who({ team, account }: BoardRow): Html {
  return team === null
    ? piece`<a href="${personPath(account)}">${shownName(account)}</a>`
    : piece`<strong>${team.name}</strong>`;
}

/** How much longer than the row above: `+1.2 %`, or `2.1×` where it is a matter of times. Faint where it may be nothing. */
function gap({ deltaToNext }: BoardRow): Html {
  if (deltaToNext === null) return piece`<td class="gap more"></td>`;
  const { value, low } = deltaToNext;
  const words = value >= 2 ? formatRatio(value) : `+${((value - 1) * 100).toFixed(value < 1.1 ? 1 : 0)} %`;
  return piece`<td class="gap more${low <= 1 ? " faint" : null}">${words}</td>`;
}
