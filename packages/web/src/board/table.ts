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
  formatRankingSpread,
  RANKING_NAMES,
  isEfficiency,
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

interface Column {
  heading: Html;
  cell: (row: BoardRow) => Html;
}

export function table({ caption, rows, ...shown }: Table): Html {
  const columns = columnsOf(shown);
  const row = (each: BoardRow): Html =>
    piece`<tr id="s${each.submissionId}"${shown.isOwn(each) ? piece` class="own"` : null}>${columns.map(({ cell }) => cell(each))}</tr>
`;
  return piece`<div class="scroll" id="entries"><table class="ranking${shown.cases ? " with-cases" : ""}">\
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${columns.map(({ heading }) => heading)}</tr></thead>
<tbody>${rows.map(row)}</tbody></table></div>`;
}

/** Returns the columns of a board. To add one, write it below and name it here. */
function columnsOf({ board, cases, isOwn }: Shown): Column[] {
  const { ranking } = board;
  return [
    RANK,
    participant(isOwn),
    result(ranking),
    ...(isEfficiency(ranking) ? [] : [GAP]),
    ...(ranking === "time" ? [] : [RUNTIME]),
    ...(ranking === "speedup" ? [] : [SPEEDUP]),
    speedOfLight(ranking),
    ...(hasInUse(board) ? [inUse(board.applicationGate)] : []),
    STATUS,
    SUBMITTED,
    ...(cases ? board.cases.map(caseTime) : []),
    SELECT,
  ];
}

function heading(name: string, kind: string, tooltip: string): Html {
  return piece`<th scope="col" class="${kind}" title="${tooltip}">${name}</th>`;
}

const RANK: Column = {
  heading: heading("Rank", "rank", "Entries whose results do not differ significantly share a rank"),
  cell: ({ rank }) => piece`<td class="rank">${rank}</td>`,
};

/** The entrant with its marks; below, the members of a team, the file and the declared author. */
const participant = (isOwn: Shown["isOwn"]): Column => ({
  heading: piece`<th scope="col" class="participant">Participant</th>`,
  cell: (row) => {
    const { team, account, submissionId, fileName } = row;
    const author = formatAuthor(row.author);
    const members = team === null ? null : `${team.members.map(({ name }) => name).join(", ")} · `;
    // Teams have no page to link to.
    const name = team === null ? personLink(account) : piece`<strong>${team.name}</strong>`;
    return piece`<th scope="row" class="participant">${name}${isOwn(row) ? OWN : null} ${marks(row)}<small>\
${members}<a href="/submissions/${submissionId}">${fileName}</a>${author === null ? null : ` · ${author}`}</small></th>`;
  },
});

const OWN = piece` <span class="badge good">you</span>`;

const result = (ranking: Board["ranking"]): Column => ({
  heading: heading(RANKING_NAMES[ranking], "time", "With half the width of its 95 % confidence interval"),
  cell: (row) => piece`<td class="time">${formatRankingValue(row)} <small>${formatRankingSpread(row)}</small></td>`,
});

/** How much slower the entry is than the one above: `+1.2 %`, or `2.1×` from a factor of 2 on. */
const GAP: Column = {
  heading: heading("Gap", "gap detail", "How much slower than the entry above on the whole leaderboard"),
  cell: ({ deltaToNext }) => {
    if (deltaToNext === null) return piece`<td class="gap detail"></td>`;
    const { value, low } = deltaToNext;
    const label = value >= 2 ? formatRatio(value) : `+${((value - 1) * 100).toFixed(value < 1.1 ? 1 : 0)} %`;
    // Faint if the confidence interval includes no difference.
    return piece`<td class="gap detail${low <= 1 ? " faint" : null}">${label}</td>`;
  },
};

const RUNTIME: Column = {
  heading: heading("Runtime", "runtime detail", "As measured in its own run"),
  cell: ({ timeNs }) => piece`<td class="runtime detail">${formatNs(timeNs.value)}</td>`,
};

const SPEEDUP: Column = {
  heading: heading("Speedup", "fig", "Relative to the reference, timed in the same session"),
  cell: ({ speedup }) => piece`<td class="fig">${speedup === null ? "–" : formatRatio(speedup.value)}</td>`,
};

const speedOfLight = (ranking: Board["ranking"]): Column => ({
  heading: heading(
    "% of speed of light",
    "speed-of-light detail",
    "Shortest time that the hardware allows, divided by the runtime",
  ),
  cell: ({ rankedBy, speedOfLightShare }) => {
    // Where the fraction of peak ranks, another percentage of nearly the same meaning would only confuse.
    const share = ranking === "fraction_of_peak" ? (rankedBy?.value ?? null) : speedOfLightShare;
    return piece`<td class="speed-of-light detail">${share === null ? "" : formatShare(share)}</td>`;
  },
});

const inUse = (gate: NonNullable<Board["applicationGate"]>): Column => ({
  heading: heading("In use", "in-use", inUseSentence(gate)),
  cell: (row) => {
    if (row.inUse === null) return piece`<td class="in-use faint">–</td>`;
    const { state, cases, held } = row.inUse;
    const tone = state === "validated" ? "good" : "bad";
    const tooltip = `${held} of ${count(cases, "case", "cases")} of the application`;
    return piece`<td class="in-use"><span class="${tone}" title="${tooltip}">${formatInUse(row.inUse)}</span></td>`;
  },
});

const STATUS: Column = {
  heading: heading("Status", "detail", "A confirmed entry was re-run with fresh seeds and is ranked by that run"),
  cell: ({ imported, verification, enteredBy }) => {
    const tone = verification === "confirmed" ? null : " faint";
    const tooltip =
      enteredBy === null ? null : piece` title="Runtime of the first run: ${formatNs(enteredBy.timeNs.value)}"`;
    return piece`<td class="detail${tone}"${tooltip}>${imported ? "imported" : verification}</td>`;
  },
};

const SUBMITTED: Column = {
  heading: heading("Submitted", "detail date", "Date in UTC"),
  cell: ({ submittedAt }) =>
    piece`<td class="detail date"><time datetime="${submittedAt}">${submittedAt.slice(0, 10)}</time></td>`,
};

/** The times of a case; a dash where none is stored. */
const caseTime = (description: string, at: number): Column => ({
  heading: heading(`Case ${at + 1}`, "case", description),
  cell: ({ caseTimesNs }) => {
    const ns = caseTimesNs[at];
    return piece`<td class="case">${ns === undefined ? "–" : formatNs(ns)}</td>`;
  },
});

const SELECT: Column = {
  heading: heading("Select", "choose", "Select two to compare, or up to five for the chart"),
  cell: (row) =>
    piece`<td class="choose"><input type="checkbox" form="chosen" name="with" value="${row.submissionId}" \
aria-label="Select ${entrantName(row)}"></td>`,
};
