/**
 * State of runners. A runner is identified by its token, target and name. It is online until `due_at`, the time by
 * which its next request is expected, or while it has a leased run.
 */
import { sql, type RawBuilder, type Transaction } from "kysely";
import type { Database } from "../db/database.ts";
import { storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";

/** How long a runner still counts as online after its next request was due, in milliseconds. */
export const GRACE_MS = 30_000;

/** How long the server remembers a runner that is offline, in days. */
const MEMORY_DAYS = 7;

/**
 * A runner is paused when this many sources of this many accounts in a row got no verdict: kernels of one account that
 * crash the judge must not pause all runners, nor one kernel that is submitted again and again.
 */
const SOURCES_IN_ROW = 5;
const ACCOUNTS_IN_ROW = 3;

/** SQL: whether the runner of the row has a leased run. */
export const HAS_LEASED_RUN: RawBuilder<boolean> = sql<boolean>`exists (
  select from run where run.state = 'running' and run.token_id = runner.token_id and run.target = runner.target
    and run.runner = runner.name)`;

/** SQL: whether the runner of the row is online. */
export const IS_ONLINE: RawBuilder<boolean> = sql<boolean>`(runner.due_at > clock_timestamp() or ${HAS_LEASED_RUN})`;

/** SQL: whether the runner of the row is online and can claim runs. */
export const CAN_CLAIM: RawBuilder<boolean> = sql<boolean>`(runner.admin_state = 'active' and ${IS_ONLINE})`;

/** SQL: whether the runner of the row has a leased run, or waits for one in an open request. */
export const IS_BUSY: RawBuilder<boolean> = sql<boolean>`(
  runner.due_at > clock_timestamp() + ${GRACE_MS}::integer * interval '1 millisecond' or ${HAS_LEASED_RUN})`;

/**
 * SQL statement that counts a verdict for the runner of a run, resets its count of consecutive errors, and keeps it
 * online for `GRACE_MS`.
 */
export function countVerdictQuery(runId: number, verdict: string): RawBuilder<unknown> {
  return countEndQuery(
    runId,
    BROUGHT,
    sql`failed = failed + ${verdict === "failed" ? 1 : 0}::integer, errors_in_row = 0, errors_of = '{}', error_sources = '{}'`,
  );
}

/** Counts an attempt that ended with an error instead of a verdict, and pauses a runner after too many in a row. */
export async function recordJudgeError(
  transaction: Transaction<Tables>,
  runId: number,
  message: string,
): Promise<void> {
  await countError(transaction, runId, BROUGHT, message);
}

/** Counts an expired lease for its runner, which was last seen when it renewed the lease. */
export async function recordLostRunner(
  transaction: Transaction<Tables>,
  runId: number,
  leaseMs: number,
): Promise<void> {
  const seen = sql`seen_at = greatest(seen_at, run.lease_until - ${leaseMs}::integer * interval '1 millisecond')`;
  await countError(transaction, runId, seen, "it stopped responding during a run");
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
    errors_of = case when run.account_id = any(errors_of) or cardinality(errors_of) >= ${ACCOUNTS_IN_ROW}::integer
      then errors_of else errors_of || run.account_id end,
    error_sources = case when submission.code_hash = any(error_sources)
      or cardinality(error_sources) >= ${SOURCES_IN_ROW}::integer
      then error_sources else error_sources || submission.code_hash end`;
  const { rows } = await sql<{ id: number; isFaulty: boolean; in_row: number; last_error: string }>`
    ${countEndQuery(runId, seen, counted)}
    returning runner.id, errors_in_row as in_row, last_error,
      cardinality(error_sources) >= ${SOURCES_IN_ROW}::integer
        and cardinality(errors_of) >= ${ACCOUNTS_IN_ROW}::integer as "isFaulty"`.execute(transaction);
  const [row] = rows;
  if (row?.isFaulty !== true) return;
  await pauseFor(
    transaction,
    row.id,
    `${row.in_row} consecutive attempts, of at least ${SOURCES_IN_ROW} sources of ${ACCOUNTS_IN_ROW} accounts, ended without a verdict; the last: ${row.last_error}`,
  );
}

/** SQL statement that counts an ended attempt for its runner. */
function countEndQuery(runId: number, seen: RawBuilder<unknown>, counted: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`update runner set ${seen}, ended = ended + 1, ${counted}
    from run join submission on submission.id = run.submission_id
    where run.id = ${runId}::bigint and runner.token_id = run.token_id and runner.target = run.target
      and runner.name = run.runner`;
}

/** Pauses an active runner in the name of the server, with a reason. */
export async function pauseFor(transaction: Transaction<Tables>, runnerId: number, reason: string): Promise<void> {
  const paused = await transaction
    .updateTable("runner")
    .set({ admin_state: "paused", reason, admin_state_by: null, admin_state_at: sql<Date>`clock_timestamp()` })
    .where("id", "=", runnerId)
    .where("admin_state", "=", "active")
    .returning("id")
    .executeTakeFirst();
  if (paused !== undefined) await notifyRunner(transaction, runnerId);
}

/** Wakes a runner that waits for work, on whichever server, so that it receives its new status. */
export async function notifyRunner(transaction: Transaction<Tables>, runnerId: number): Promise<void> {
  await sql`select pg_notify('queue', ${runnerLine(runnerId)})`.execute(transaction);
}

/** Returns the notification topic of one runner. It cannot collide with a target, whose name has no space. */
export function runnerLine(runnerId: number): string {
  return `runner ${runnerId}`;
}

/**
 * Deletes runners that were offline for a week. The newest of each target is kept, so that it is known when one was last
 * seen; paused and draining runners are kept while their token is valid, so that the status still applies when they
 * return.
 */
export async function forgetRunners({ db }: Database): Promise<void> {
  await sql`delete from runner using token
    where token.id = token_id and seen_at < clock_timestamp() - ${MEMORY_DAYS}::integer * interval '1 day'
      and not ${IS_ONLINE}
      and exists (select from runner newer where newer.target = runner.target and newer.seen_at > runner.seen_at)
      and (admin_state = 'active' or revoked_at is not null or coalesce(expires_at < clock_timestamp(), false))`.execute(
    db,
  );
}

/** Returns whether any runner of a token is online. */
export async function isRunnerThere({ db }: Database, tokenId: number): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`select exists (
      select from runner where runner.token_id = ${tokenId}::bigint and ${IS_ONLINE}) as there`.execute(db);
  return rows[0]?.there === true;
}
