/** What the analyses share: boards, and which rows may rank on them. */
import type { KernelRow } from "../rows.ts";

/** A board of the data: a problem on a target. */
export interface BoardKey {
  problem: string;
  target: string;
}

/**
 * A kernel cannot be started in less: a smaller time is a fault of the measurement, and old files have some, down to
 * 4.6e-25 s.
 */
export const PLAUSIBLE_NS = 100;

/** What an analysis that ranks says, and how many rows it left out for a time below `PLAUSIBLE_NS`. */
export interface Ranking<Result> {
  results: Result[];
  implausible: number;
}

type Scored = Pick<KernelRow, "mode" | "passed" | "scoreNs">;

/** A row that ranks has a time: it passed as a ranked run, and its time can be true. */
export function ranks<Row extends Scored>(row: Row): row is Row & { scoreNs: number } {
  return scored(row) && row.scoreNs >= PLAUSIBLE_NS;
}

export function implausible(rows: readonly Scored[]): number {
  return rows.filter((row) => scored(row) && row.scoreNs < PLAUSIBLE_NS).length;
}

function scored<Row extends Scored>(row: Row): row is Row & { scoreNs: number } {
  return row.mode === "ranked" && row.passed === true && row.scoreNs !== null && Number.isFinite(row.scoreNs);
}

/** Rows by their boards, in the order of the names of these. */
export function byBoard<Row extends BoardKey>(rows: readonly Row[]): { board: BoardKey; rows: Row[] }[] {
  const boards = new Map<string, { board: BoardKey; rows: Row[] }>();
  for (const row of rows) {
    const key = JSON.stringify([row.problem, row.target]);
    const found = boards.get(key);
    if (found === undefined) boards.set(key, { board: { problem: row.problem, target: row.target }, rows: [row] });
    else found.rows.push(row);
  }
  return [...boards.values()].toSorted((one, other) => compareBoards(one.board, other.board));
}

export function compareBoards(one: BoardKey, other: BoardKey): number {
  return compareText(one.problem, other.problem) || compareText(one.target, other.target);
}

/** The same everywhere, whatever the language of the machine. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

type Dated = Pick<KernelRow, "submittedAt" | "submissionId">;

export function byTime(one: Dated, other: Dated): number {
  return compareText(one.submittedAt, other.submittedAt) || one.submissionId - other.submissionId;
}

/**
 * The entries of one board, the fastest first. Files with ranks name them: the final board counts reruns, teams and the
 * time of submission, and its rows without a licence are missing here. Elsewhere an entry is the best row of its user: the
 * least time, of equal ones the earliest.
 */
export function entriesOf<Row extends Scored & Dated & Pick<KernelRow, "userId" | "place">>(
  rows: readonly Row[],
): (Row & { scoreNs: number })[] {
  if (rows.some(({ place }) => place !== undefined)) return fastestFirst(rows.filter((row) => row.place != null));
  const best = new Map<string, Row & { scoreNs: number }>();
  for (const row of rows) {
    if (!ranks(row)) continue;
    const before = best.get(row.userId);
    if (before === undefined || better(row, before)) best.set(row.userId, row);
  }
  return fastestFirst([...best.values()]);
}

function fastestFirst<Row extends Scored & Dated>(rows: readonly Row[]): (Row & { scoreNs: number })[] {
  return rows.filter((row) => ranks(row)).toSorted((one, other) => one.scoreNs - other.scoreNs || byTime(one, other));
}

function better(one: Dated & { scoreNs: number }, other: Dated & { scoreNs: number }): boolean {
  return one.scoreNs < other.scoreNs || (one.scoreNs === other.scoreNs && byTime(one, other) < 0);
}
