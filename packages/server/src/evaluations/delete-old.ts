/** Retention of evaluations: after a time they are deleted, with the submissions, runs and sources that judged them. */
import { sql, type RawBuilder, type Transaction } from "kysely";
import { deleteIfUnneeded } from "../artifacts/retention.ts";
import type { ObjectStore } from "../artifacts/store.ts";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { lockEvaluations } from "./lock-account.ts";
import { deleteOldSessions } from "./sessions/sessions.ts";
import { deleteOldUploads, deleteUnusedVersions } from "./uploaded-problems.ts";

/** Number of evaluations that one transaction deletes, and of transactions per call, so that other jobs get their turn. */
const AT_ONCE = 200;
const MOST_TURNS = 50;

/**
 * Deletes evaluations and sessions that ended more than `keptMs` ago, oldest first, and everything that only they refer
 * to; and uploaded problems that have not been used for as long.
 * @returns the number of deleted evaluations.
 */
export async function deleteOldEvaluations(database: Database, store: ObjectStore, keptMs: number): Promise<number> {
  const { db } = database;
  const before = new Date(Date.now() - keptMs);
  let deleted = 0;
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const oldest = await db
      .selectFrom("evaluation")
      .select("account_id")
      .where(isOld(before))
      .orderBy("ended_at")
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) break;
    const turnResult = await runTransaction(idempotent(db), (transaction) =>
      deleteSome(transaction, oldest.account_id, before),
    );
    for (const hash of turnResult.objects) await deleteIfUnneeded(database, store, hash);
    deleted += turnResult.evaluations;
  }
  await sql`
    delete from evaluation_batch b where created_at < ${before}::timestamptz and ended = size
      and not exists (select from evaluation e where e.batch_id = b.id)`.execute(idempotent(db));
  await deleteOldSessions(database, before);
  await deleteOldUploads(database, before);
  return deleted;
}

/**
 * SQL: whether an `evaluation` ended before a time. One of a session counts as ended with its session, so that the
 * transcript is complete for as long as it exists.
 */
function isOld(before: Date): RawBuilder<boolean> {
  return sql<boolean>`(ended_at < ${before}::timestamptz and not exists (
    select from evaluation_session es where es.id = session_id and es.ends_at >= ${before}::timestamptz))`;
}

async function deleteSome(
  transaction: Transaction<Tables>,
  accountId: string,
  before: Date,
): Promise<{ evaluations: number; objects: Buffer[] }> {
  await lockEvaluations(transaction, accountId);
  const gone = await sql<{ submission_id: number }>`
    delete from evaluation where id in (
      select id from evaluation where account_id = ${accountId} and ${isOld(before)}
      order by ended_at limit ${AT_ONCE}::integer)
    returning submission_id`.execute(transaction);
  // Sources by their hashes in hexadecimal.
  const submissions = await sql<{ id: number; source: string; version: string }>`
    select id, encode(code_hash, 'hex') as source, problem_version as version from submission s
    where id = any(${gone.rows.map((row) => row.submission_id)}::bigint[]) and is_evaluation
      and not exists (select from evaluation e where e.submission_id = s.id)`.execute(transaction);
  const objects = await deleteSubmissions(
    transaction,
    submissions.rows.map(({ id }) => id),
  );
  await sql`
    delete from code c
    where hash in (select decode(source, 'hex') from unnest(${submissions.rows.map((row) => row.source)}::text[]) as gone (source))
      and not exists (select from submission s where s.code_hash = c.hash)
      and not exists (select from submission s where s.rival_hash = c.hash)
      and not exists (select from kernelbench_kernel k where k.code_hash = c.hash)`.execute(transaction);
  // Of uploaded problems that their account deleted before these evaluations.
  await deleteUnusedVersions(
    transaction,
    submissions.rows.map(({ version }) => version),
  );
  return { evaluations: gone.rows.length, objects };
}

/** Deletes submissions whose runs have ended. @returns the hashes of their artifacts. */
async function deleteSubmissions(transaction: Transaction<Tables>, ids: readonly number[]): Promise<Buffer[]> {
  if (ids.length === 0) return [];
  const of = sql`any(${[...ids]}::bigint[])`;
  const runs = sql`(select id from run where submission_id = ${of})`;
  // A cancelled run may still be the next run of its account, until a claim finds it.
  await sql`
    update fair_share f set (head, head_cost) = (
      select id, run_cost(mode) from run where state = 'queued' and tag is null and target = f.target
        and priority = f.priority and account_id = f.account_id order by run_cost(mode), id limit 1)
    where head in ${runs}`.execute(transaction);
  const artifacts = await sql<{ hash: Buffer }>`
    delete from artifact where run_id in ${runs} returning hash`.execute(transaction);
  await sql`delete from case_result where run_id in ${runs}`.execute(transaction);
  await sql`delete from stage_result where run_id in ${runs}`.execute(transaction);
  await sql`delete from event where submission_id = ${of}`.execute(transaction);
  await sql`delete from run where submission_id = ${of}`.execute(transaction);
  await sql`delete from submission where id = ${of}`.execute(transaction);
  return artifacts.rows.map(({ hash }) => hash);
}
