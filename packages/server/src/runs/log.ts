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
    select pg_notify('change', 'submission ' || id) from numbered`.execute(transaction);
}

/** `append` as a part of another statement, which notifies by `numbered`: nothing where the submission is null. */
export function appending(submission: RawBuilder<number>, entries: readonly Entry[]): RawBuilder<unknown> {
  return sql`numbered as (
      update submission set last_event = last_event + ${entries.length}::integer where id = ${submission}
      returning id, last_event - ${entries.length}::integer as base
    ), stored as (
      insert into event (submission_id, id, run_id, attempt, event)
      select numbered.id, base + e.ordinality, (e.value ->> 'runId')::bigint, (e.value ->> 'attempt')::integer,
        e.value -> 'event'
      from numbered, json_array_elements(${jsonText(entries)}::text::json) with ordinality as e
    )`;
}

/** Ends the log once no run of the submission can change any more. To be called after the last `append` of a run's end. */
export async function appendIfFinished(transaction: Transaction<Tables>, submissionId: number): Promise<void> {
  // A statement of its own, begun after `append` took the row lock, so that it sees every run that ended before.
  const open = await transaction
    .selectFrom("run")
    .select("id")
    .where("submission_id", "=", submissionId)
    .where("state", "in", ["queued", "running"])
    .limit(1)
    .executeTakeFirst();
  if (open !== undefined) return;
  await append(transaction, submissionId, [{ runId: null, attempt: null, event: { type: "submission_finished" } }]);
}
