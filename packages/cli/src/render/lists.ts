/** Boards, problems and submissions as tables. */
import {
  entrantName,
  formatBytes,
  formatRankedBy,
  formatRankingRule,
  formatRankingValue,
  formatInUse,
  formatRatio,
  formatResult,
  formatTiming,
  RANKING_NAMES,
  isEfficiency,
  hasInUse,
  marksOf,
  inUseSentence,
  type Author,
  type Board,
  type BoardHistory,
  type BoardRow,
  type HistoryPoint,
  type ProblemSummary,
  type RunSummary,
  type Submission,
  type UploadedProblem,
} from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { formatCount, oneLine, wrap } from "../output/text.ts";
import { speedupWords } from "./cases.ts";
import { table, type Column } from "./table.ts";
import { moment, shortMoment, runStatus } from "./format.ts";

/** Formats a board. Entries that cannot be distinguished statistically share a rank. */
export function boardLines(board: Board, width: number, style: Style): string[] {
  const name = `${style.bold(board.board)} on ${style.bold(board.target)}`;
  const { revision, currentRevision, problemVersion } = board;
  const which = `revision ${revision}${revision === currentRevision ? "" : ` of ${currentRevision}`}, version ${problemVersion.slice(0, 12)}`;
  const freeze = freezeLines(board, board.unfrozen, style);
  if (board.rows.length === 0) return [`${name} has no entries yet (${which}).`, ...freeze];
  const columns = boardColumns(board, style);
  const rows = board.rows.map((row) => columns.map(({ of }) => of(row)));
  return [
    `${name}, ${formatCount(board.rows.length, "entry", "entries")}, ${which}`,
    ...freeze,
    ...(board.ranking === "time"
      ? []
      : wrap(`Ranked by ${formatRankingRule(board.rankingBy, board.weights !== null, board.ranking)}.`, width)),
    ...table(columns, rows, width, style),
    ...(hasInUse(board) ? ["", ...wrap(inUseSentence(board.applicationGate), width).map(style.dim)] : []),
  ];
}

type BoardColumn = Column & { of: (row: BoardRow) => string };

/** Returns the columns of a board; the value that ranks follows the account. */
function boardColumns(board: Board, style: Style): BoardColumn[] {
  const runtime: BoardColumn = { title: "runtime", side: "right", of: ({ timeNs }) => formatTiming(timeNs) };
  const speedup: BoardColumn = { title: "speedup", side: "right", of: (row) => speedupWords(row.speedup) };
  const efficiency: BoardColumn = {
    title: RANKING_NAMES[board.ranking],
    side: "right",
    of: ({ rankedBy }) => (rankedBy === undefined ? "–" : formatRankedBy(rankedBy)),
  };
  const inUse: BoardColumn = { title: "in use", of: (row) => (row.inUse === null ? "" : formatInUse(row.inUse)) };
  return [
    { title: "rank", side: "right", of: ({ rank }) => String(rank) },
    { title: "account", shrinks: true, of: entrant },
    ...(isEfficiency(board.ranking) ? [efficiency] : []),
    ...(board.ranking === "speedup" ? [speedup, runtime] : [runtime, speedup]),
    ...(hasInUse(board) ? [inUse] : []),
    { title: "id", side: "right", of: ({ submissionId }) => String(submissionId) },
    { title: "submitted", of: ({ submittedAt }) => moment(submittedAt) },
    { title: "", of: (row) => notes(row, style) },
  ];
}

/** Returns whether the entry is confirmed, and its marks. */
function notes(row: BoardRow, style: Style): string {
  const confirmed = row.verification === "confirmed" ? [style.green("confirmed")] : [];
  return [...confirmed, ...marksOf(row).map((mark) => style.yellow(mark))].join(", ");
}

/** Formats the freeze of a board and its end. */
function freezeLines({ freeze }: Pick<Board, "freeze">, isWhole: boolean, style: Style): string[] {
  if (freeze === null) return [];
  const words = isWhole
    ? `Not frozen for you: until ${moment(freeze.until)}, others see submissions before ${moment(freeze.since)} only.`
    : `Frozen since ${moment(freeze.since)}: later submissions are hidden until ${moment(freeze.until)}.`;
  return [style.yellow(words)];
}

/** Formats the records of a board, from the first to the current one. */
export function historyLines(history: BoardHistory, width: number, style: Style): string[] {
  const { board, target, records } = history;
  const freeze = freezeLines(history, false, style);
  const name = `${style.bold(board)} on ${style.bold(target)}`;
  const [first] = records;
  if (first === undefined) return [`${name} has no entries yet.`, ...freeze];
  const isByTime = first.rankedBy === undefined;
  const rows = records.map((record, index) => [
    moment(record.submittedAt),
    author(record),
    formatResult(record),
    gain(record, records[index - 1]),
    String(record.submissionId),
  ]);
  return [
    `${name}, ${formatCount(records.length, "record")}`,
    ...freeze,
    ...table(
      [
        { title: "submitted" },
        { title: "account", shrinks: true },
        { title: isByTime ? "runtime" : "result", side: "right" },
        { title: isByTime ? "speedup" : "gain", side: "right" },
        { title: "id", side: "right" },
      ],
      rows,
      width,
      style,
    ),
  ];
}

/** Formats how much better a record is than the one before: the ratio, or the difference of the efficiencies. */
function gain(record: HistoryPoint, before: HistoryPoint | undefined): string {
  if (before === undefined) return "";
  if (record.rankedBy === undefined || before.rankedBy === undefined)
    return formatRatio(before.timeNs.value / record.timeNs.value);
  const { ranking, value } = record.rankedBy;
  return ranking === "speedup"
    ? formatRatio(value / before.rankedBy.value)
    : `+${formatRankedBy({ ranking, value: value - before.rankedBy.value })}`;
}

/** Formats a team with its members, or an account: `Fast ones: ann, bob (assisted)`. */
function entrant(row: BoardRow): string {
  const members = row.team === null ? "" : `: ${row.team.members.map(({ name }) => name).join(", ")}`;
  return `${entrantName(row)}${members}${kindWords(row.author)}`;
}

function author(point: HistoryPoint): string {
  return `${entrantName(point)}${kindWords(point.author)}`;
}

function kindWords({ kind }: Author): string {
  return kind === "undeclared" ? "" : ` (${kind})`;
}

/** Formats problems that were uploaded for evaluations. */
export function uploadLines(problems: readonly UploadedProblem[], width: number, style: Style): string[] {
  if (problems.length === 0) return ["You have no uploaded problems."];
  const rows = problems.map(({ problem, name, targets, sizeBytes, usedAt, openEvaluations }) => [
    problem,
    name,
    targets.join(" "),
    formatBytes(sizeBytes),
    moment(usedAt),
    String(openEvaluations),
  ]);
  const columns = [
    { title: "problem" },
    { title: "name" },
    { title: "targets", shrinks: true },
    { title: "size", side: "right" },
    { title: "last used" },
    { title: "queued or running", side: "right" },
  ] as const;
  return table(columns, rows, width, style);
}

/** Formats the problems open for submissions, with the targets of each. */
export function problemLines(problems: readonly ProblemSummary[], width: number, style: Style): string[] {
  if (problems.length === 0) return ["No problems."];
  const all: readonly (Column & { of: (problem: ProblemSummary) => string })[] = [
    { title: "problem", of: ({ name }) => name },
    { title: "difficulty", of: ({ difficulty }) => difficulty ?? "" },
    { title: "tags", of: ({ tags }) => tags.join(", "), shrinks: true },
    { title: "targets", of: ({ targets }) => targets.join(", "), shrinks: true },
  ];
  const columns = all.filter(({ of }) => problems.some((problem) => of(problem) !== ""));
  const rows = problems.map((problem) => columns.map(({ of }) => of(problem)));
  return table(columns, rows, width, style);
}

/** Formats submissions in the server's order, newest first, one row per run. */
export function submissionLines(submissions: readonly Submission[], now: Date, width: number, style: Style): string[] {
  if (submissions.length === 0) return ["You have no submissions yet."];
  const rows = submissions.flatMap((submission) =>
    submission.runs.map((run, index) => [
      index === 0 ? String(submission.id) : "",
      index === 0 ? oneLine(submission.fileName) : "",
      index === 0 ? submission.board : "",
      run.target,
      index === 0 ? submission.mode : "",
      submission.removed === null ? resultText(run, style) : style.yellow("removed"),
      index === 0 ? shortMoment(submission.createdAt, now) : "",
    ]),
  );
  return table(
    [
      { title: "id", side: "right" },
      { title: "file", shrinks: true },
      { title: "board" },
      { title: "target" },
      { title: "mode" },
      { title: "status" },
      { title: "when" },
    ],
    rows,
    width,
    style,
  );
}

function resultText(run: RunSummary, style: Style): string {
  const time = run.score === null ? [] : [formatRankingValue(run.score)];
  const mark = marksOf({ ...run, noisy: run.score?.noisy }).map((text) => style.yellow(text));
  return [runStatus(run, style), ...time, ...mark].join(", ");
}

/**
 * Formats the current board rank of a ranked submission's account and the submission that achieved it; null when the
 * account is not on the board.
 */
export function rankWords(
  board: Board,
  submission: Pick<Submission, "id" | "account" | "shownAs" | "createdAt">,
): string | null {
  const { freeze } = board;
  if (freeze !== null && submission.createdAt >= freeze.since) {
    return `hidden until ${moment(freeze.until)}: the leaderboard is frozen`;
  }
  const row = board.rows.find((row) => row.account.id === (submission.shownAs ?? submission.account.id));
  if (row === undefined) return null;
  const rank = `rank ${row.rank} of ${board.rows.length} on the leaderboard`;
  return row.submissionId === submission.id ? rank : `${rank} by your faster submission ${row.submissionId}`;
}

/** Formats what was submitted: `vectoradd, mode ranked, submission 12`. */
export function submissionTitle({ id, board, mode, enteredBy }: Submission, style: Style): string {
  const late = enteredBy === null ? "" : `, entered after the deadline by ${oneLine(enteredBy.name)}`;
  return `${style.bold(board)}, mode ${mode}, submission ${id}${late}`;
}

/** Formats file name, account and time of a submission. */
export function submissionOrigin({ fileName, account, createdAt }: Submission): string {
  return `${oneLine(fileName)} by ${oneLine(account.name)}, ${moment(createdAt)}`;
}
