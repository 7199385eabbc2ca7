/**
 * What is known of who asks for work. A runner is what one token calls by one name on one target; it is there while it
 * should be heard of again, or holds a run.
 */
import { sql, type RawBuilder, type Transaction } from "kysely";
import type { Database } from "../db/database.ts";
import { storableText } from "../db/json.ts";
import { retrying } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";

/** How long after it should have asked again a runner still counts as there, in milliseconds. */
export const GRACE_MS = 30_000;

/** How long one that is gone is remembered, in days. */
const REMEMBER_DAYS = 7;

/**
 * So many attempts in a row without a verdict pause a runner, if they are of this many accounts: a kernel that breaks
 * judges must not stop a fleet.
 */
const ERRORS_IN_ROW = 5;
const ERRORS_OF = 2;

/** SQL: whether the runner of the row holds a run. */
export const HOLDS_A_RUN: RawBuilder<boolean> = sql<boolean>`exists (
  select from run where run.state = 'running' and run.token_id = runner.token_id and run.target = runner.target
    and run.runner = runner.name)`;

/** SQL: whether the runner of the row is there. */
export const IS_THERE: RawBuilder<boolean> = sql<boolean>`(runner.due_at > clock_timestamp() or ${HOLDS_A_RUN})`;

/** SQL: whether the runner of the row is there and is given runs. */
export const TAKES_RUNS: RawBuilder<boolean> = sql<boolean>`(runner.standing = 'active' and ${IS_THERE})`;

/** SQL: whether the runner of the row holds a run, or waits for one at this moment. */
export const IS_AT_WORK: RawBuilder<boolean> = sql<boolean>`(
  runner.due_at > clock_timestamp() + ${GRACE_MS}::integer * interval '1 millisecond' or ${HOLDS_A_RUN})`;

/**
 * SQL, a part of a statement: notes that a runner has brought the verdict of a run, as which an error of its own does not count,
 * and will ask for more.
 */
export function notingVerdict(runId: number, verdict: string): RawBuilder<unknown> {
  return noting(
    runId,
    BROUGHT,
    sql`failed = failed + ${verdict === "failed" ? 1 : 0}::integer, errors_in_row = 0, errors_of = '{}'`,
  );
}

/** Notes that a runner has brought an error in place of a verdict, and pauses one that brings nothing else. */
export async function noteError(transaction: Transaction<Tables>, runId: number, message: string): Promise<void> {
  await countError(transaction, runId, BROUGHT, message);
}

/** Notes that the lease of a run ran out: its runner was last heard of when it renewed that. */
export async function noteLoss(transaction: Transaction<Tables>, runId: number, leaseMs: number): Promise<void> {
  const seen = sql`seen_at = greatest(seen_at, run.lease_until - ${leaseMs}::integer * interval '1 millisecond')`;
  await countError(transaction, runId, seen, "it was not heard of while it had a run");
}

const BROUGHT = sql`seen_at = clock_timestamp(), due_at = clock_timestamp() + ${GRACE_MS}::integer * interval '1 millisecond'`;

async function countError(
  transaction: Transaction<Tables>,
  runId: number,
  seen: RawBuilder<unknown>,
  message: string,
): Promise<void> {
  const counted = sql`infra_errors = infra_errors + 1, errors_in_row = errors_in_row + 1, last_error_at = clock_timestamp(),
    last_error = ${storableText(message).slice(0, 1000)},
    errors_of = case when run.account_id = any(errors_of) or cardinality(errors_of) >= ${ERRORS_OF}::integer
      then errors_of else errors_of || run.account_id end`;
  const { rows } = await sql<{ id: number; isFaulty: boolean; in_row: number; last_error: string }>`
    ${noting(runId, seen, counted)}
    returning runner.id, errors_in_row as in_row, last_error,
      errors_in_row >= ${ERRORS_IN_ROW}::integer and cardinality(errors_of) >= ${ERRORS_OF}::integer as "isFaulty"`.execute(
    transaction,
  );
  const [row] = rows;
  if (row?.isFaulty !== true) return;
  await pauseFor(transaction, row.id, `${row.in_row} runs in a row came to no verdict; the last: ${row.last_error}`);
}

/** An attempt is over, for its runner. */
function noting(runId: number, seen: RawBuilder<unknown>, counted: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`update runner set ${seen}, ended = ended + 1, ${counted}
    from run where run.id = ${runId}::bigint and runner.token_id = run.token_id and runner.target = run.target
      and runner.name = run.runner`;
}

/** The server pauses a runner that is active, and says why. */
export async function pauseFor(transaction: Transaction<Tables>, runnerId: number, reason: string): Promise<void> {
  const paused = await transaction
    .updateTable("runner")
    .set({ standing: "paused", reason, standing_by: null, standing_at: sql<Date>`clock_timestamp()` })
    .where("id", "=", runnerId)
    .where("standing", "=", "active")
    .returning("id")
    .executeTakeFirst();
  if (paused !== undefined) await tellRunner(transaction, runnerId);
}

/** Wakes a runner that waits for work, on whichever server, to hear what it is told now. */
export async function tellRunner(transaction: Transaction<Tables>, runnerId: number): Promise<void> {
  await sql`select pg_notify('queue', ${lineOf(runnerId)})`.execute(transaction);
}

/** The line of one runner among those that wait; no target has a space in its name. */
export function lineOf(runnerId: number): string {
  return `runner ${runnerId}`;
}

/** Forgets runners that were not heard of for a week, but for those that may come back to what they were told. */
export async function forgetRunners({ db }: Database): Promise<void> {
  await sql`delete from runner using token
    where token.id = token_id and seen_at < clock_timestamp() - ${REMEMBER_DAYS}::integer * interval '1 day'
      and not ${IS_THERE}
      and (standing = 'active' or revoked_at is not null or coalesce(expires_at < clock_timestamp(), false))`.execute(
    db,
  );
}

/** Whether any runner of a token is there. */
export async function isRunnerThere({ db }: Database, tokenId: number): Promise<boolean> {
  const { rows } = await retrying(() =>
    sql<{ there: boolean }>`select exists (
      select from runner where runner.token_id = ${tokenId}::bigint and ${IS_THERE}) as there`.execute(db),
  );
  return rows[0]?.there === true;
}
