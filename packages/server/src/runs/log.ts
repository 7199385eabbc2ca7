/** The event log of a submission. All events after acceptance are appended here. */
import { sql, type RawBuilder, type Transaction } from "kysely";
import type { SubmissionEvent } from "@kernelbot/core";
import { jsonText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";

export interface LogEntry {
  /** Null for an event of the whole submission. */
  runId: number | null;
  attempt: number | null;
  event: SubmissionEvent;
}

/**
 * Appends events in order. The row lock on the submission, kept until the transaction ends, makes the numbers gapless;
 * readers are notified on commit.
 */
export async function append(
  transaction: Transaction<Tables>,
  submissionId: number,
  entries: readonly LogEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await sql`
    with ${appendQuery(sql`${submissionId}::bigint`, entries)}
    select ${notifyReaders(sql`id`)} from numbered`.execute(transaction);
}

/**
 * Appends the last events of runs, and `submission_finished` once no run is queued or running.
 *
 * The transaction must have changed the runs and locked the row of the submission in an earlier statement, so that this
 * statement sees every run that ended before.
 */
export async function appendEnds(
  transaction: Transaction<Tables>,
  submissionId: number,
  ends: readonly LogEntry[],
): Promise<void> {
  await sql`
    with ${appendEndsQuery(sql`${submissionId}::bigint`, ends)}
    select ${notifyReaders(sql`id`)} from numbered`.execute(transaction);
}

/**
 * SQL: `appendEnds` as CTEs of another statement; see `appendQuery`.
 * @param ending The run that this statement itself ends.
 */
export function appendEndsQuery(
  submission: RawBuilder<number>,
  ends: readonly LogEntry[],
  ending: number | null = null,
): RawBuilder<unknown> {
  const last: LogEntry = { runId: null, attempt: null, event: { type: "submission_finished" } };
  return sql`is_open as materialized (
      select exists (
        select from run where submission_id = ${submission} and state in ('queued', 'running')
          and id is distinct from ${ending}::bigint
      ) as value
    ), ${appendQuery(submission, [...ends, last], sql`not (select value from is_open)`)}`;
}

/**
 * SQL: `append` as CTEs of another statement. The CTE `numbered` has the submission's id for the notification of
 * readers; it is empty if `submission` is null.
 * @param whole Whether the last of the entries is appended too.
 */
export function appendQuery(
  submission: RawBuilder<number>,
  entries: readonly LogEntry[],
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

/** SQL expression that notifies the readers of a submission, on commit, that its log has grown. */
export function notifyReaders(submission: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`pg_notify('change', 'submission ' || ${submission})`;
}
