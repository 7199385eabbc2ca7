/** What the pages of those who look after a server show: how much waits, and whose it is. */
import type { Change } from "./problem-changes.ts";
import type { Role } from "./account.ts";
import type { AccountName } from "./board.ts";
import type { Decision, FlagCheck } from "./moderation.ts";

/** How many runs wait. A run that several checks speak against is counted with each. */
export interface QueueCounts {
  runs: number;
  checks: { check: FlagCheck; runs: number }[];
  /** In order of name. */
  problems: { problem: string; runs: number }[];
}

/** What is known of an account, for who decides about it. */
export interface AccountHistory {
  account: AccountName;
  roles: Role[];
  createdAt: string;
  ban: { at: string; reason: string } | null;
  submissions: number;
  ranked: number;
  /** Runs of it that something speaks against now. */
  waiting: number;
  /** About it and what is its own, the newest first, 200 at most. */
  decisions: Decision[];
}

/** A problem as those see it who look after it. */
export interface ProblemStanding {
  name: string;
  /** The folder of the problem set that it came from. */
  set: string;
  /** The hash of the version in force. */
  version: string;
  /** The newest first. */
  versions: {
    hash: string;
    createdAt: string;
    changes: Change[];
    /** Where it came from, and which state of that; null for the server's own folder. */
    source: string | null;
    revision: string | null;
    /** Who brought it; null for the server's start. */
    by: string | null;
  }[];
  /** When its files last changed. */
  updatedAt: string;
  /** Where it comes from; null for the server's own folder. */
  source: string | null;
  /** Null for practice. */
  competition: string | null;
  /** When its boards end, or ended; null where they do not. */
  closesAt: string | null;
  /** Each with the edition that it shows. */
  boards: { target: string; accepts: boolean; edition: number }[];
  submissions: number;
}

/** What an administrator may want to know of a server at a glance. */
export interface ServerFacts {
  version: string;
  /** Since when this process runs. */
  startedAt: string;
  /** What PostgreSQL says of itself, such as `17.2`. */
  postgres: string;
  databaseBytes: number;
  /** The sizes of all artifacts that are kept. */
  artifactBytes: number;
  /** Where the problems are taken from. */
  problemsFolder: string;
  /** Whether submissions are taken at all. */
  accepts: boolean;
  accounts: number;
  submissions: number;
  queued: number;
  running: number;
}
