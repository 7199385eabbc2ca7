/** Data of the administration and moderation pages. */
import type { Change } from "../problem/changes.ts";
import type { Role } from "./account.ts";
import type { AccountName } from "../vocabulary/entrant.ts";
import type { Decision, FlagCheck } from "../moderation/moderation.ts";

/** Number of runs that require a moderator's decision. A run flagged by several checks is counted for each. */
export interface ModerationQueueCounts {
  runs: number;
  checks: { check: FlagCheck; runs: number }[];
  /** Sorted by name. */
  problems: { problem: string; runs: number }[];
}

/** Account with its history, as shown to moderators before a decision. */
export interface AccountHistory {
  account: AccountName;
  roles: Role[];
  createdAt: string;
  ban: { at: string; reason: string } | null;
  submissions: number;
  ranked: number;
  /** Number of its runs with undecided flags. */
  waiting: number;
  /** Decisions about the account and its submissions, newest first, at most 200. */
  decisions: Decision[];
}

/** Problem as shown to its organisers. */
export interface ProblemOverview {
  name: string;
  /** Folder of the problem set to which the problem belongs. */
  set: string;
  /** Hash of the version in force. */
  version: string;
  /** Versions, newest first. */
  versions: {
    hash: string;
    createdAt: string;
    changes: Change[];
    /** Source of the version and its commit; null for the server's own problems folder. */
    source: string | null;
    revision: string | null;
    /** Account that synced the version; null if the server loaded it at start. */
    by: string | null;
  }[];
  /** When the problem's files last changed. */
  updatedAt: string;
  /** Source of the problem; null for the server's own problems folder. */
  source: string | null;
  /** Null for a practice problem. */
  competition: string | null;
  /** When its boards close or closed; null if they never do. */
  closesAt: string | null;
  /** Boards, each with its current revision. */
  boards: { target: string; accepts: boolean; revision: number }[];
  submissions: number;
}

/** Newest backups and restore tests. */
export interface BackupSummary {
  /** Time of the database state in the newest backup; null before the first one. */
  takenAt: string | null;
  /** Folder of that backup, or `s3://BUCKET/PREFIX`. */
  address: string | null;
  /** Why the newest attempt to make a backup failed; null if it succeeded. */
  backupError: string | null;
  /** End of the newest successful restore test; null before the first one. */
  testedAt: string | null;
  /** Why the newest restore test failed; null if it succeeded. */
  testError: string | null;
}

/** Summary of a server for administrators. */
export interface ServerSummary {
  version: string;
  /** Start time of this process. */
  startedAt: string;
  /** Version reported by PostgreSQL, such as `17.2`. */
  postgres: string;
  databaseBytes: number;
  /** Total size of all stored artifacts. */
  artifactBytes: number;
  /** Folder from which the server loads problems. */
  problemsFolder: string;
  /** Whether the server accepts submissions. */
  accepts: boolean;
  accounts: number;
  submissions: number;
  queued: number;
  running: number;
  backup: BackupSummary;
}
