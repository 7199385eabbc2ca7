/** Shared by the analyses: boards, and the rows that may rank on them. */
import type { KernelRow } from "../reader/kernel-row.ts";
import { compareBoards, compareText } from "@kernelbot/core";

/** Board of the dataset: a problem on a target. */
export interface BoardKey {
  problem: string;
  target: string;
}

/** Fields that every analysis of ranked runs reads. */
export const RANKED_FIELDS = ["problem", "target", "submissionId", "submittedAt", "mode", "passed", "scoreNs"] as const;

/**
 * Minimum plausible time in ns, shorter than any kernel launch. Smaller times are measurement errors, which old files
 * contain, down to 4.6e-25 s.
 */
export const PLAUSIBLE_NS = 100;

/** Result of a ranking analysis, with the number of rows omitted for a time below `PLAUSIBLE_NS`. */
export interface Ranking<Result> {
  results: Result[];
  implausible: number;
}

type Scored = Pick<KernelRow, "mode" | "passed" | "scoreNs">;

/** Whether a row ranks: it is a ranked run that passed, with a plausible time. */
export function ranks<Row extends Scored>(row: Row): row is Row & { scoreNs: number } {
  return scored(row) && row.scoreNs >= PLAUSIBLE_NS;
}

export function implausible(rows: readonly Scored[]): number {
  return rows.filter((row) => scored(row) && row.scoreNs < PLAUSIBLE_NS).length;
}

function scored<Row extends Scored>(row: Row): row is Row & { scoreNs: number } {
  return row.mode === "ranked" && row.passed === true && row.scoreNs !== null && Number.isFinite(row.scoreNs);
}

/** Groups rows by board, sorted by the boards' names. */
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

type Dated = Pick<KernelRow, "submittedAt" | "submissionId">;

export function byTime(one: Dated, other: Dated): number {
  return compareText(one.submittedAt, other.submittedAt) || one.submissionId - other.submissionId;
}

/**
 * Returns the entries of one board, best first. In files with ranks these are the rows with a rank: the final board
 * considers reruns, teams and submission times, may rank by efficiency, and its rows without a licence are missing here.
 * Otherwise each user's entry is their fastest row, the earliest among equal times.
 */
export function entriesOf<Row extends Scored & Dated & Pick<KernelRow, "userId" | "place">>(
  rows: readonly Row[],
): (Row & { scoreNs: number })[] {
  if (rows.some(({ place }) => place !== undefined)) return bestFirst(rows.filter(({ place }) => place != null));
  const best = new Map<string, Row & { scoreNs: number }>();
  for (const row of rows) {
    if (!ranks(row)) continue;
    const before = best.get(row.userId);
    if (before === undefined || better(row, before)) best.set(row.userId, row);
  }
  return bestFirst([...best.values()]);
}

function bestFirst<Row extends Scored & Dated & Pick<KernelRow, "place">>(
  rows: readonly Row[],
): (Row & { scoreNs: number })[] {
  return rows
    .filter((row) => ranks(row))
    .toSorted(
      (one, other) => (one.place ?? 0) - (other.place ?? 0) || one.scoreNs - other.scoreNs || byTime(one, other),
    );
}

function better(one: Dated & { scoreNs: number }, other: Dated & { scoreNs: number }): boolean {
  return one.scoreNs < other.scoreNs || (one.scoreNs === other.scoreNs && byTime(one, other) < 0);
}
