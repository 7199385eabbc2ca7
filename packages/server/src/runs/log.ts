/** The log of a submission: the only place that adds to it after it was accepted. */
import { sql, type RawBuilder, type Transaction } from "kysely";
import type { Happening } from "@kernelbot/core";
import { jsonText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";

export interface Entry {
  /** Null for what concerns the whole submission. */
  runId: number | null;
  attempt: number | null;
  event: Happening;
}

/**
 * Appends events in order. The row lock on the submission, held until the transaction ends, is what numbers them without
 * gaps; readers are notified when it commits.
 */
export async function append(
  transaction: Transaction<Tables>,
  submissionId: number,
  entries: readonly Entry[],
): Promise<void> {
  if (entries.length === 0) return;
  await sql`
    with ${appending(sql`${submissionId}::bigint`, entries)}
    select ${told(sql`id`)} from numbered`.execute(transaction);
}

/**
 * Appends how runs of a submission ended, and ends the log with them once none can change any more.
 *
 * The transaction has changed the runs, and holds the row lock on the submission from a statement before this one: so this one
 * sees every run that ended before.
 */
export async function appendEnds(
  transaction: Transaction<Tables>,
  submissionId: number,
  ends: readonly Entry[],
): Promise<void> {
  await sql`
    with ${appendingEnds(sql`${submissionId}::bigint`, ends)}
    select ${told(sql`id`)} from numbered`.execute(transaction);
}

/**
 * SQL: `appendEnds` as parts of another statement, as `appending`.
 * @param ending The run that this statement itself ends.
 */
export function appendingEnds(
  submission: RawBuilder<number>,
  ends: readonly Entry[],
  ending: number | null = null,
): RawBuilder<unknown> {
  const last: Entry = { runId: null, attempt: null, event: { type: "submission_finished" } };
  return sql`is_open as materialized (
      select exists (
        select from run where submission_id = ${submission} and state in ('queued', 'running')
          and id is distinct from ${ending}::bigint
      ) as value
    ), ${appending(submission, [...ends, last], sql`not (select value from is_open)`)}`;
}

/**
 * SQL: `append` as parts of another statement, which tells readers by `numbered`: nothing where the submission is null.
 * @param whole Whether the last of the entries is appended too.
 */
export function appending(
  submission: RawBuilder<number>,
  entries: readonly Entry[],
  whole: RawBuilder<boolean> = sql`true`,
): RawBuilder<unknown> {
  const count = sql`(${entries.length}::integer - (not ${whole})::integer)`;
  return sql`numbered as (
      update submission set last_event = last_event + ${count} where id = ${submission}
      returning id, last_event - ${count} as base
    ), stored as (
      insert into event (submission_id, id, run_id, attempt, event)
      select numbered.id, base + e.ordinality, (e.value ->> 'runId')::bigint, (e.value ->> 'attempt')::integer,
        e.value -> 'event'
      from numbered, json_array_elements(${jsonText(entries)}::text::json) with ordinality as e
      where e.ordinality <= ${count}
    )`;
}

/** SQL, to be selected: tells the readers of a submission, once it is committed, that its log has grown. */
export function told(submission: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`pg_notify('change', 'submission ' || ${submission})`;
}
