import type { AuthorKind, Licence } from "@kernelbot/core";

/**
 * A validated submission before it is stored: the argument of the SQL function `store_submissions`, as the SQL type
 * `new_submission`. A missing field is null. Hashes are SHA-256, as `bytea` in text: `\x` and hexadecimal digits.
 */
export interface NewSubmission {
  account_id: string;
  /** Null for a problem that the account has uploaded. */
  problem: string | null;
  /** Version of an uploaded problem. */
  uploaded_version?: string | null;
  /** Sorted, without duplicates. */
  targets: readonly string[];
  mode: string;
  file_name: string;
  source: string;
  code_hash: string;
  /** Name, source and hash of the second file: all three in a duel, else none. */
  rival_name?: string | null;
  rival_source?: string | null;
  rival_hash?: string | null;
  /** Chosen by the client; the server's own keys begin with a space, which clients' keys cannot contain. */
  idempotency_key: string;
  /** Hash of the whole request: a repeated request has the same, another request with the same key has not. */
  request_hash: string;
  author_kind: AuthorKind;
  model?: string | null;
  licence?: Licence | null;
  /** Null if the setting of the account applies. */
  anonymous?: boolean | null;
  /** Lane of its runs in the queue: 0 for submissions, more for evaluations. */
  priority: number;
  /** The organiser who enters the submission after the deadline, and the reason for the audit log. */
  entered_by?: string | null;
  entry_reason?: string | null;
  /** W3C `traceparent` of the span that accepts it; null if tracing is off. */
  traceparent?: string | null;
}

/** Returns bytes, given in hexadecimal, as PostgreSQL reads `bytea` from text. */
export const byteaText = (hex: string): string => `\\x${hex}`;
