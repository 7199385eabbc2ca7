/** A validated submission before and right after it is stored. */
import type { AuthorKind, Licence, Mode, RunSummary, Submission } from "@kernelbot/core";
import type { Availabilities } from "../queue/availability.ts";

/** Account of an organiser, and the reason for the audit log. */
export interface LateEntry {
  by: string;
  reason: string;
}

/** A validated submission, before it is stored. Hashes are SHA-256 in hexadecimal. */
export interface NewSubmission {
  accountId: string;
  board: string;
  /** Sorted, without duplicates. */
  targets: readonly string[];
  mode: Mode;
  fileName: string;
  source: string;
  sourceHash: string;
  /** Name, source and hash of the second file. All three are set in a duel, else null. */
  rivalName: string | null;
  rivalSource: string | null;
  rivalHash: string | null;
  idempotencyKey: string;
  requestHash: string;
  authorKind: AuthorKind;
  model: string | null;
  licence: Licence | null;
  /** Null if the setting of the account applies. */
  anonymous: boolean | null;
  /** The organiser who enters the submission after the deadline, and why; null for all others. */
  lateEntry: LateEntry | null;
  /** W3C `traceparent` of the span that accepted the submission; null if tracing is off. */
  traceparent: string | null;
}

/** Values that the database assigns to a new submission. */
export interface StoredSubmission {
  submissionId: number;
  /** Hash of the problem version. */
  version: string;
  at: Date;
  /** In the order of the targets. */
  runIds: number[];
}

/**
 * Returns the API representation of a new submission without reading it back from the database. Must equal what
 * `readSubmission` returns, except for queue positions, and for the result of the application that the same source may have already.
 */
export function createdSubmission(
  account: Submission["account"],
  enteredBy: Submission["enteredBy"],
  item: NewSubmission,
  { submissionId, version, at, runIds }: StoredSubmission,
  legacyHarness: boolean,
  availabilities: Availabilities,
): Submission {
  const createdAt = at.toISOString();
  return {
    id: submissionId,
    account,
    board: item.board,
    mode: item.mode,
    fileName: item.fileName,
    sourceHash: item.sourceHash,
    rival:
      item.rivalName === null || item.rivalHash === null
        ? null
        : { fileName: item.rivalName, sourceHash: item.rivalHash },
    problemVersion: version,
    createdAt,
    author: { kind: item.authorKind, model: item.model },
    licence: item.licence,
    lastEvent: 1 + item.targets.length,
    removed: null,
    imported: null,
    enteredBy,
    runs: item.targets.map((target, index): RunSummary => ({
      id: runIds[index] as number,
      target,
      rerun: 0,
      state: "queued",
      verdict: null,
      failureClass: null,
      message: null,
      attempt: 0,
      stage: null,
      queuePosition: null,
      expectedWaitMs: null,
      runners: availabilities(target),
      score: null,
      inUse: null,
      unsandboxed: false,
      legacyHarness,
      imported: false,
      createdAt,
      startedAt: null,
      finishedAt: null,
    })),
  };
}
