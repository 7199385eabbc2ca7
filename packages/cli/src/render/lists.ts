/** Boards, problems and submissions as tables. */
import { formatRatio, type Board, type BoardSummary, type Submission } from "@kernelbot/core";
import { formatNs } from "@kernelbot/core";
import type { Style } from "../style.ts";
import { count, oneLine } from "../text.ts";
import { timeWords } from "./cases.ts";
import { table } from "./table.ts";
import { moment, standing } from "./words.ts";

/** A board under its name; accounts that the measurement does not tell apart share a rank. */
export function boardLines(board: Board, width: number, style: Style): string[] {
  const head = `${style.bold(board.board)} on ${style.bold(board.target)}, ${count(board.rows.length, "entry")}`;
  if (board.rows.length === 0) return [`${style.bold(board.board)} on ${style.bold(board.target)} has no entries yet.`];
  const rows = board.rows.map((row) => [
    String(row.rank),
    row.account.name,
    timeWords(row.timeNs),
    formatRatio(row.speedup.value),
    String(row.submissionId),
    moment(row.submittedAt),
    row.unsandboxed ? style.yellow("no sandbox") : "",
  ]);
  return [
    head.replace("entrys", "entries"),
    ...table(
      [
        { title: "rank", side: "right" },
        { title: "account", shrinks: true },
        { title: "time", side: "right" },
        { title: "speed-up", side: "right" },
        { title: "submission", side: "right" },
        { title: "submitted" },
        { title: "" },
      ],
      rows,
      width,
      style,
    ),
  ];
}

/** The problems that one can submit to: a row for each target. */
export function problemLines(boards: readonly BoardSummary[], width: number, style: Style): string[] {
  if (boards.length === 0) return ["This server has no problems yet."];
  const rows = boards.map((board) => [
    board.board,
    board.target,
    String(board.entries),
    board.bestNs === null ? "–" : formatNs(board.bestNs),
    board.leader?.name ?? "–",
  ]);
  return table(
    [
      { title: "board" },
      { title: "target" },
      { title: "entries", side: "right" },
      { title: "best", side: "right" },
      { title: "leader", shrinks: true },
    ],
    rows,
    width,
    style,
  );
}

/** Submissions, the newest first as the server gives them: a row for each run. */
export function submissionLines(submissions: readonly Submission[], width: number, style: Style): string[] {
  if (submissions.length === 0) return ["You have not submitted anything yet."];
  const rows = submissions.flatMap((submission) =>
    submission.runs.map((run, index) => [
      index === 0 ? String(submission.id) : "",
      index === 0 ? oneLine(submission.fileName) : "",
      index === 0 ? submission.board : "",
      run.target,
      index === 0 ? submission.mode : "",
      standing(run, style),
      run.score === null ? "" : formatNs(run.score.timeNs.value),
      index === 0 ? moment(submission.createdAt) : "",
    ]),
  );
  return table(
    [
      { title: "id", side: "right" },
      { title: "file", shrinks: true },
      { title: "board" },
      { title: "target" },
      { title: "mode" },
      { title: "came out" },
      { title: "time", side: "right" },
      { title: "submitted" },
    ],
    rows,
    width,
    style,
  );
}

/** Where a ranked submission's account stands on the board now, and by which submission. */
export function rankLine(board: Board, submission: Pick<Submission, "id" | "account">): string[] {
  const row = board.rows.find((row) => row.account.id === submission.account.id);
  if (row === undefined) return [];
  const rank = `rank ${row.rank} of ${board.rows.length} on ${board.board}, ${board.target}`;
  return [
    row.submissionId === submission.id ? `  ${rank}` : `  your best stays submission ${row.submissionId}: ${rank}`,
  ];
}

/** Who handed in what, where and when. */
export function submissionHead(submission: Submission, style: Style): string[] {
  const { id, fileName, account, board, mode, createdAt } = submission;
  return [
    `${style.bold(`submission ${id}`)}, ${oneLine(fileName)} by ${oneLine(account.name)}`,
    `${board}, mode ${mode}, ${moment(createdAt)}`,
  ];
}
