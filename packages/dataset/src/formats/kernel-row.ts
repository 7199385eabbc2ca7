/** Common format of the rows of all files with submissions. */
import type { BestRankedBy } from "@kernelbot/core";

/** Submission on a target: what was run, and the outcome. */
export interface KernelRow {
  submissionId: number;
  /** Null in files without run numbers. */
  runId: number | null;
  /** Null in files whose rows do not belong to a competition. */
  competition: string | null;
  problem: string;
  /** Kind of device; `unknown` when the row has none. */
  target: string;
  userId: string;
  userName: string;
  /** Key of the source, unique within a dataset. Joins with `readSources`. */
  codeKey: string;
  /** Null in files without source numbers. */
  codeId: number | bigint | null;
  fileName: string;
  /** ISO 8601 in UTC, with microseconds. */
  submittedAt: string;
  /** `test`, `benchmark`, `ranked`, `profile` or `duel`; `unknown` when the row has none. */
  mode: string;
  /** Null when the run was not judged. */
  passed: boolean | null;
  /** Ranking time in ns of a ranked run that passed; null otherwise. */
  scoreNs: number | null;
  /** Rank on the final board; null for a row that is not its account's entry, undefined in files without ranks. */
  place: number | null | undefined;
  /** Whether the final board takes the score of the submission from this row; undefined in files without it. */
  givesScore: boolean | undefined;
  /** Speedup over the reference; null in files without reference times. */
  speedup: number | null;
  /** Value by which the row ranks; null on boards that rank by time. */
  rankedBy: BestRankedBy | null;
  /** Failure class of a failed run; null also in files without failure classes. */
  failureClass: string | null;
  /** Source; null in files without code. */
  code: string | null;
}

export type KernelField = keyof KernelRow;

/** All fields but the code, which is most of a file. */
export const FACTS = [
  "submissionId",
  "runId",
  "competition",
  "problem",
  "target",
  "userId",
  "userName",
  "codeKey",
  "codeId",
  "fileName",
  "submittedAt",
  "mode",
  "passed",
  "scoreNs",
  "place",
  "givesScore",
  "speedup",
  "rankedBy",
  "failureClass",
] as const satisfies readonly KernelField[];
