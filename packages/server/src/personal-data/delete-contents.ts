/**
 * Deletion of what submissions contain: sources, outputs, messages and files, while their results remain. Background
 * jobs delete the contents of erased accounts, and those of old submissions where the operator has set a retention time.
 * Each transaction deletes the contents of some submissions, so a job continues where it was interrupted.
 */
import { sql, type Transaction } from "kysely";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import type { PersonalTable } from "../db/personal-tables.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { forgetFingerprints } from "../moderation/similar.ts";
import { signReceipt } from "../runs/receipts.ts";
import type { Signer } from "../runs/signer.ts";
import { eraseRows, type PersonalDatabase } from "./erase-rows.ts";

/** Number of submissions per transaction, and of transactions per call, so that other jobs get their turn. */
const AT_ONCE = 50;
const MOST_TURNS = 200;

/** Requests that began before an erasure end in less than this, in seconds. They may store rows of the account. */
const LATE_S = 30;

/**
 * Deletes the contents of all submissions of erased accounts.
 * @returns the number of submissions.
 */
export async function deleteErasedContents(
  { database: { db }, personalTables }: PersonalDatabase,
  signer: Signer,
): Promise<number> {
  const accounts = await db
    .selectFrom("account")
    .select("id")
    .where("erased_at", "is not", null)
    .where("contents_erased_at", "is", null)
    .execute();
  let deleted = 0;
  for (const { id } of accounts) {
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      const count = await runTransaction(idempotent(db), async (transaction) => {
        const ids = await lockSubmissions(transaction, sql`account_id = ${id}`);
        const receipts = await deleteContents(transaction, ids);
        await pseudonymise(transaction, ids);
        for (const runId of receipts) await signReceipt(transaction, runId, signer);
        return ids.length;
      });
      deleted += count;
      if (count < AT_ONCE) break;
    }
    await runTransaction(idempotent(db), (transaction) => finishErasure(transaction, personalTables, id));
  }
  return deleted;
}

/**
 * Deletes the contents of submissions that were made before `before` in another mode than ranked, oldest first. Those
 * with a licence are kept for data sets, and KernelBench kernels for their entries; evaluations have a retention time of
 * their own.
 * @returns the number of submissions.
 */
export async function deleteOldContents({ db }: Database, before: Date): Promise<number> {
  let deleted = 0;
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    const count = await runTransaction(idempotent(db), async (transaction) => {
      const ids = await lockSubmissions(
        transaction,
        sql`mode <> 'ranked' and created_at < ${before}::timestamptz and licence is null
          and not exists (select from evaluation e where e.submission_id = s.id)
          and not exists (select from problem p where p.name = s.problem and p.suite is not null)`,
      );
      await deleteContents(transaction, ids);
      return ids.length;
    });
    deleted += count;
    if (count < AT_ONCE) break;
  }
  return deleted;
}

/** Locks the oldest submissions that have contents and no unfinished run. @returns their ids. */
async function lockSubmissions(
  transaction: Transaction<Tables>,
  condition: ReturnType<typeof sql<boolean>>,
): Promise<number[]> {
  const isDue = sql`contents_deleted_at is null and ${condition}
    and not exists (select from run r where r.submission_id = s.id and r.state in ('queued', 'running'))`;
  const locked = await sql<{ id: number }>`
    select id from submission s where ${isDue} order by created_at, id limit ${AT_ONCE}::integer for update`.execute(
    transaction,
  );
  // A statement that waits for a lock does not see what the other transaction stored, such as a re-run.
  const { rows } = await sql<{ id: number }>`
    select id from submission s where ${isDue} and id = any(${locked.rows.map(({ id }) => id)}::bigint[])
    order by created_at, id`.execute(transaction);
  return rows.map(({ id }) => id);
}

/** Deletes the contents of submissions. @returns the ids of their runs that have a receipt. */
async function deleteContents(transaction: Transaction<Tables>, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const these = sql`any(${[...ids]}::bigint[])`;
  const runs = sql`(select id from run where submission_id = ${these})`;
  const unranked = sql`(select id from run where submission_id = ${these} and mode <> 'ranked')`;
  // The job that deletes old artifacts deletes their bytes at its next turn.
  await sql`update artifact set created_at = 'epoch' where run_id in ${runs} and deleted_at is null`.execute(
    transaction,
  );
  await sql`delete from transcript where submission_id = ${these}`.execute(transaction);
  await sql`delete from case_result where run_id in ${unranked}`.execute(transaction);
  await sql`delete from stage_result where run_id in ${unranked}`.execute(transaction);
  await sql`update stage_result set output = null where run_id in ${runs} and output is not null`.execute(transaction);
  await sql`update case_result set message = null, mismatch = null where run_id in ${runs}
    and num_nonnulls(message, mismatch) > 0`.execute(transaction);
  await sql`update run set message = null, detail = null, review = null, validation = null,
      rival_failure = (rival_failure::jsonb || '{"message": "", "detail": null}')::json
    where submission_id = ${these} and num_nonnulls(message, detail, review, validation, rival_failure) > 0`.execute(
    transaction,
  );
  // Events are numbered without gaps, so they remain without what they say.
  await sql`
    update event e set event = (e.event::jsonb || emptied.fields)::json
    from (values
      ('output', '{"head": "", "tail": "", "droppedBytes": 0}'::jsonb),
      ('review', '{"findings": []}'),
      ('case_finished', '{"message": null, "mismatch": null}'),
      ('run_finished', '{"message": null, "detail": null}')
    ) as emptied (type, fields)
    where e.submission_id = ${these} and e.event ->> 'type' = emptied.type`.execute(transaction);
  const hashes = await sql<{ hash: string }>`
    select distinct encode(h.hash, 'hex') as hash from submission s, unnest(array[s.code_hash, s.rival_hash]) as h (hash)
    where s.id = ${these} and h.hash is not null`.execute(transaction);
  await sql`update submission set contents_deleted_at = clock_timestamp() where id = ${these}`.execute(transaction);
  await deleteSources(
    transaction,
    hashes.rows.map(({ hash }) => hash),
  );
  const receipts = await sql<{ run_id: number }>`select run_id from receipt where run_id in ${runs}`.execute(
    transaction,
  );
  return receipts.rows.map((row) => row.run_id);
}

/**
 * Deletes sources that no submission with contents and no KernelBench entry needs, with their fingerprints.
 * @param hashes SHA-256 in hexadecimal.
 */
async function deleteSources(transaction: Transaction<Tables>, hashes: readonly string[]): Promise<void> {
  const these = sql`(select decode(hash, 'hex') from unnest(${[...hashes]}::text[]) as h (hash))`;
  // A new submission locks the row of its source, too: it is either seen by the next statement, or stores the source again.
  await sql`select from code where hash in ${these} order by hash for update`.execute(transaction);
  const { rows } = await sql<{ hash: Buffer; source: string; fingerprinted: boolean; name: string | null }>`
    select hash, source, fingerprinted, (select file_name from submission s where s.code_hash = c.hash order by id limit 1) as name
    from code c where hash in ${these} and deleted_bytes is null
      and not exists (select from submission s where s.code_hash = c.hash and s.contents_deleted_at is null)
      and not exists (select from submission s where s.rival_hash = c.hash and s.contents_deleted_at is null)
      and not exists (select from kernelbench_kernel k join kernelbench_entry e on e.id = k.entry_id
        join account a on a.id = e.account_id where k.code_hash = c.hash and a.erased_at is null)`.execute(transaction);
  for (const { hash, source, fingerprinted, name } of rows) {
    if (fingerprinted) await forgetFingerprints(transaction, { hash, source, fileName: name ?? "" });
    await sql`update code set deleted_bytes = octet_length(source), source = '', fingerprinted = true
      where hash = ${hash}`.execute(transaction);
  }
}

/** Removes what the person is known by from submissions and receipts, which are then signed again. */
async function pseudonymise(transaction: Transaction<Tables>, ids: readonly number[]): Promise<void> {
  const nameless = (column: string) =>
    sql`'deleted' || coalesce(substring(${sql.ref(column)} from '\.[A-Za-z0-9]+$'), '')`;
  await sql`
    update submission set file_name = ${nameless("file_name")},
      rival_name = case when rival_name is not null then ${nameless("rival_name")} end,
      -- Keys that begin with a space are the server's own.
      idempotency_key = case when idempotency_key like ' %' then idempotency_key else ' erased ' || id end
    where id = any(${[...ids]}::bigint[])`.execute(transaction);
  await sql`delete from receipt where run_id in (select id from run where submission_id = any(${[...ids]}::bigint[]))`.execute(
    transaction,
  );
}

/**
 * Deletes the sources of kernels that were not submitted. If nothing is left, also erases what was stored during the
 * erasure, and marks it as finished.
 */
async function finishErasure(
  transaction: Transaction<Tables>,
  personalTables: readonly PersonalTable[],
  accountId: string,
): Promise<void> {
  const { rows } = await sql<{ hash: string }>`
    select distinct encode(k.code_hash, 'hex') as hash from kernelbench_kernel k join kernelbench_entry e on e.id = k.entry_id
    where e.account_id = ${accountId}`.execute(transaction);
  await deleteSources(
    transaction,
    rows.map(({ hash }) => hash),
  );
  const { numAffectedRows } = await sql`update account set contents_erased_at = clock_timestamp()
    where id = ${accountId} and erased_at < clock_timestamp() - make_interval(secs => ${LATE_S})
      and not exists (select from submission s where s.account_id = account.id and s.contents_deleted_at is null)`.execute(
    transaction,
  );
  if (numAffectedRows === 1n) await eraseRows(transaction, personalTables, accountId);
}
