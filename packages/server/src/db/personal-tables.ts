/**
 * How a feature describes what its tables store about a person. The export, the erasure and the reference page are made
 * from these descriptions, and a test compares them with the foreign keys of the database: a new table that refers to
 * accounts needs one.
 *
 * @example
 * export const MARKS = [deleted("mark", "marks of the person")];
 */
import type { ErasureKind } from "@kernelbot/core";
import type { Tables } from "./tables.ts";

export interface PersonalTable {
  table: keyof Tables;
  /** What the rows are, for the reference page. */
  content: string;
  /** Columns with the id of an account: foreign keys, and copies without one. */
  accounts: readonly string[];
  /** SQL condition for the rows `t` about the account `$1`. */
  rows: string;
  /** Columns that the export leaves out: secrets, and what identifies other people. */
  omit?: readonly string[];
  /** Why the rows are not exported; undefined for those that are. */
  notExported?: string;
  erasure: ErasureKind;
  /** What the erasure does with the rows, or why it keeps them. */
  how: string;
  /** SQL statement of the erasure for the account `$1`; null where a background job, another table or nothing changes the rows. */
  erase: string | null;
  /** SQL query of what must be done before the account `$1` can be erased: rows of one column, `obstacle`, a sentence. */
  obstacle?: string;
}

type Details = Partial<
  Pick<PersonalTable, "accounts" | "rows" | "omit" | "notExported" | "how" | "erase" | "obstacle">
>;

/** By default, the rows of a person are those with the `account_id`, the only reference where `rows` is absent. */
function personal(
  table: keyof Tables,
  content: string,
  erasure: ErasureKind,
  { rows, ...details }: Details & { how: string },
): PersonalTable {
  const accounts = rows === undefined ? ["account_id"] : [];
  return { table, content, accounts, rows: rows ?? OWN, erasure, erase: null, ...details };
}

/** By default, the erasure deletes the rows with a statement. */
export const deleted = (table: keyof Tables, content: string, details: Details = {}): PersonalTable =>
  personal(table, content, "deleted", {
    ...{ how: "deleted", erase: `delete from ${table} where ${details.rows ?? OWN}` },
    ...details,
  });

export const redacted = (table: keyof Tables, content: string, how: string, details: Details = {}): PersonalTable =>
  personal(table, content, "redacted", { how, ...details });

export const kept = (table: keyof Tables, content: string, how: string, details: Details = {}): PersonalTable =>
  personal(table, content, "kept", { how, ...details });

const OWN = "account_id = $1";
export const OWN_SUBMISSIONS = "(select id from submission where account_id = $1)";
export const OWN_RUNS = "(select id from run where account_id = $1)";
export const STAYS_RANKED = "results stay on leaderboards, under the pseudonym";
export const ROLE_RECORD = "a record of work with a role; the audit log has the action, which is exported";
export const EXPIRES_WITHIN_A_DAY = "expires within a day";
/** The statement makes a row older than any retention time. */
export const AGED = "deleted by the background job, within minutes";
