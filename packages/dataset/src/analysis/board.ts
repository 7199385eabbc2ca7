/** Shared by the analyses: boards, and the rows that may rank on them. */
import type { KernelRow } from "../formats/kernel-row.ts";
import { compareBoards, compareText, type BestRankedBy } from "@kernelbot/core";

/** Board of the dataset: a problem on a target. */
interface BoardKey {
  problem: string;
  target: string;
}

/** Fields that every analysis of ranked runs reads. */
export const RANKED_FIELDS = [
  "problem",
  "target",
  "submissionId",
  "submittedAt",
  "mode",
  "passed",
  "scoreNs",
  "givesScore",
  "rankedBy",
] as const;

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

type Scored = Pick<KernelRow, "mode" | "passed" | "scoreNs" | "givesScore" | "rankedBy">;

/**
 * Whether a row ranks: it is a ranked run that passed, with a plausible time, and of a submission with re-runs the one that
 * gives its score.
 */
export function ranks<Row extends Scored>(row: Row): row is Row & { scoreNs: number } {
  return scored(row) && row.scoreNs >= PLAUSIBLE_NS;
}

export function implausible(rows: readonly Scored[]): number {
  return rows.filter((row) => scored(row) && row.scoreNs < PLAUSIBLE_NS).length;
}

function scored<Row extends Scored>(row: Row): row is Row & { scoreNs: number } {
  if (row.mode !== "ranked" || row.passed !== true || row.givesScore === false) return false;
  return row.scoreNs !== null && Number.isFinite(row.scoreNs);
}

/** Returns the number by which a row ranks, smaller first, as the boards do. */
export function rankKey({ scoreNs, rankedBy }: { scoreNs: number; rankedBy: BestRankedBy | null }): number {
  return rankedBy === null ? scoreNs : -rankedBy.value;
}

/**
 * Combines the values by which rows of one board rank.
 * @returns null where the board ranks by time, or without rows
 */
export function combineRankedBy(
  rows: readonly Pick<KernelRow, "rankedBy">[],
  combine: (values: readonly number[]) => number,
): BestRankedBy | null {
  const values = rows.flatMap(({ rankedBy }) => rankedBy ?? []);
  const [first] = values;
  return first === undefined ? null : { ranking: first.ranking, value: combine(values.map(({ value }) => value)) };
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
 * considers reruns, teams and submission times, may not rank by time, and its rows without a licence are missing here.
 * Otherwise each user's entry is their best row, the earliest among equals.
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
      (one, other) => (one.place ?? 0) - (other.place ?? 0) || rankKey(one) - rankKey(other) || byTime(one, other),
    );
}

function better<Row extends Dated & Scored & { scoreNs: number }>(one: Row, other: Row): boolean {
  return rankKey(one) < rankKey(other) || (rankKey(one) === rankKey(other) && byTime(one, other) < 0);
}
