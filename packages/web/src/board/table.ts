/** Table of a board's rows. */
import {
  formatAuthor,
  formatInUse,
  hasInUse,
  inUseSentence,
  entrantName,
  formatNs,
  formatRankingValue,
  formatRatio,
  formatShare,
  formatSpread,
  RANKING_NAMES,
  ranksByEfficiency,
  type Board,
  type BoardRow,
} from "@kernelbot/core";
import { piece, type Html } from "../html.ts";
import { count } from "../layout/format.ts";
import { personLink } from "../profile/page.ts";
import { marks } from "../results/timing.ts";

interface Shown {
  board: Board;
  /** Whether the case times have columns. */
  cases: boolean;
  isOwn: (row: BoardRow) => boolean;
}

interface Table extends Shown {
  rows: readonly BoardRow[];
  caption: string;
}

export function table({ caption, rows, ...more }: Table): Html {
  return piece`<div class="scroll" id="entries"><table class="ranking${more.cases ? " with-cases" : ""}"><caption class="visually-hidden">${caption}</caption>
${columns(more)}
<tbody>${rows.map((row) => rowOf(row, more))}</tbody></table></div>`;
}

function columns({ board, cases }: Shown): Html {
  const column = (name: string, tooltip: string, kind = "fig"): Html =>
    piece`<th scope="col" class="${kind}" title="${tooltip}">${name}</th>`;
  const numbers = cases ? board.cases.map((line, at) => column(`Case ${at + 1}`, line, "case")) : [];
  return piece`<thead><tr>${column("Rank", "Entries whose results do not differ significantly share a rank", "rank")}<th scope="col" class="participant">Participant</th>${column(RANKING_NAMES[board.rankingBy], "With half the width of its 95 % confidence interval", "time")}${ranksByEfficiency(board.rankingBy) ? column("Runtime", "Geometric mean of the cases", "runtime detail") : column("Gap", "How much slower than the entry above on the whole leaderboard", "gap detail")}${column("Speedup", "Relative to the reference, timed in the same session")}${column("% of speed of light", "Shortest time that the hardware allows, divided by the runtime", "speed-of-light detail")}${hasInUse(board) ? column("In use", inUseSentence(board.applicationGate), "in-use") : null}${column("Status", "A confirmed entry was re-run with fresh seeds and is ranked by that run", "detail")}${column("Submitted", "Date in UTC", "detail date")}${numbers}${column("Select", "Select two to compare, or up to five for the chart", "choose")}</tr></thead>`;
}

function rowOf(row: BoardRow, { board, cases, isOwn }: Shown): Html {
  const {
    submissionId: id,
    team,
    fileName,
    timeNs,
    speedup,
    efficiency,
    speedOfLightShare,
    verification,
    enteredBy,
    submittedAt,
  } = row;
  const author = formatAuthor(row.author);
  // Where the fraction of peak ranks, another percentage of nearly the same meaning would only confuse.
  const share = board.rankingBy === "fraction_of_peak" ? (efficiency?.value ?? null) : speedOfLightShare;
  const own = isOwn(row);
  const name = entrantName(row);
  return piece`<tr id="s${id}"${own ? piece` class="own"` : null}><td class="rank">${row.rank}</td><th scope="row" class="participant">${participant(row)}${own ? piece` <span class="badge good">you</span>` : null}${row.unsandboxed || row.legacyHarness || row.lateEntry ? piece` ${marks(row)}` : null}<small>${team === null ? null : piece`${team.members.map(({ name }) => name).join(", ")} · `}<a href="/submissions/${id}">${fileName}</a>${author === null ? null : ` · ${author}`}</small></th><td class="time">${formatRankingValue(row)} <small>${formatSpread(efficiency ?? timeNs)}</small></td>${efficiency === undefined ? gap(row) : piece`<td class="runtime detail">${formatNs(timeNs.value)}</td>`}<td class="fig">${speedup === null ? "–" : formatRatio(speedup.value)}</td><td class="speed-of-light detail">${share === null ? "" : formatShare(share)}</td>${hasInUse(board) ? inUseCell(row) : null}<td class="detail${verification === "confirmed" ? null : " faint"}"${enteredBy === null ? null : piece` title="Runtime of the first run: ${formatNs(enteredBy.timeNs.value)}"`}>${row.imported ? "imported" : verification}</td><td class="detail date"><time datetime="${submittedAt}">${submittedAt.slice(0, 10)}</time></td>${cases ? board.cases.map((_, at) => piece`<td class="case">${caseTime(row.caseTimesNs[at])}</td>`) : null}<td class="choose"><input type="checkbox" form="chosen" name="with" value="${id}" aria-label="Select ${name}"></td></tr>
`;
}

function inUseCell({ inUse }: BoardRow): Html {
  if (inUse === null) return piece`<td class="in-use faint">–</td>`;
  const { state, cases, held } = inUse;
  const tone = state === "validated" ? "good" : "bad";
  return piece`<td class="in-use"><span class="${tone}" title="${held} of ${count(cases, "case", "cases")} of the application">${formatInUse(inUse)}</span></td>`;
}

/** Formats a case time; a dash if it was not stored. */
function caseTime(ns: number | undefined): string {
  return ns === undefined ? "–" : formatNs(ns);
}

/** Renders the entrant. Teams have no page to link to. */
function participant({ team, account }: BoardRow): Html {
  return team === null ? personLink(account) : piece`<strong>${team.name}</strong>`;
}

/**
 * Renders how much longer the time is than that of the row above: `+1.2 %`, or `2.1×` from a factor of 2 on. Faint if
 * the confidence interval includes no difference.
 */
function gap({ deltaToNext }: BoardRow): Html {
  if (deltaToNext === null) return piece`<td class="gap detail"></td>`;
  const { value, low } = deltaToNext;
  const label = value >= 2 ? formatRatio(value) : `+${((value - 1) * 100).toFixed(value < 1.1 ? 1 : 0)} %`;
  return piece`<td class="gap detail${low <= 1 ? " faint" : null}">${label}</td>`;
}
