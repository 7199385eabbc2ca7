/** One form of row for all files that tell of submissions, whoever wrote them. */

/** A submission on a target: what was run, and how it came out. */
export interface KernelRow {
  submissionId: number;
  /** Null in files that do not number runs. */
  runId: number | null;
  /** Null in files whose rows are not of a competition here. */
  competition: string | null;
  problem: string;
  /** The kind of device; `unknown` where the row does not say. */
  target: string;
  userId: string;
  userName: string;
  /** The same for the same source, inside of a dataset. Joins `readSources`. */
  codeKey: string;
  /** Null in files that do not number sources. */
  codeId: number | bigint | null;
  fileName: string;
  /** ISO 8601 in UTC, with microseconds. */
  submittedAt: string;
  /** `test`, `benchmark`, `ranked`, `profile` or `duel`; `unknown` where the row does not say. */
  mode: string;
  /** Null where it was not judged. */
  passed: boolean | null;
  /** The time that ranks, of a ranked run that passed. */
  scoreNs: number | null;
  /** Its rank on the final board; null where it is not the entry of its account there, undefined in files without ranks. */
  place: number | null | undefined;
  /** Over the reference; null in files that do not tell of the reference. */
  speedup: number | null;
  /** Of a run that failed; null in files that do not say why, too. */
  failureClass: string | null;
  /** Null in files without code. */
  code: string | null;
}

export type KernelField = keyof KernelRow;

/** All but the code, which takes most of a file. */
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
  "speedup",
  "failureClass",
] as const satisfies readonly KernelField[];
