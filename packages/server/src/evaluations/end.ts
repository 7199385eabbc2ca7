/** Ends evaluations before their run has a result: cancels them, and expires those that have missed their deadline. */
import { KernelBotError } from "@kernelbot/core";
import { sql, type RawBuilder, type Transaction } from "kysely";
import { requireScope, type Identity } from "../auth/identity.ts";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { cancelOpenRuns } from "../submissions/cancel.ts";
import { lockEvaluations } from "./lock-account.ts";
import { noEvaluation, visible } from "./read.ts";

/** Number of evaluations that one transaction ends; it blocks claims of the account's runs. */
const AT_ONCE = 100;

/**
 * Cancels an evaluation that is queued or running; one that has ended stays as it is. Its run is cancelled too, unless
 * another evaluation shares it.
 * @throws KernelBotError `not_found`.
 */
export async function cancelEvaluation(database: Database, identity: Identity, id: number): Promise<void> {
  requireScope(identity, "submit");
  const { rows } = await sql<{ account_id: string }>`
    select account_id from evaluation e where id = ${id}::bigint and ${visible(identity)}`.execute(database.db);
  if (rows[0] === undefined) throw noEvaluation(id);
  await endOpen(database, rows[0].account_id, sql`e.id = ${id}::bigint`, { running: true });
}

/**
 * Cancels the evaluations of a batch whose run is queued. Those that are running are judged.
 * @throws KernelBotError `not_found`.
 */
export async function cancelBatch(database: Database, identity: Identity, id: number): Promise<void> {
  requireScope(identity, "submit");
  const { rows } = await sql<{ account_id: string }>`
    select account_id from evaluation_batch e where id = ${id}::bigint and ${visible(identity)}`.execute(database.db);
  if (rows[0] === undefined) throw new KernelBotError("not_found", `batch ${id} of evaluations not found`);
  const { account_id: account } = rows[0];
  while ((await endOpen(database, account, sql`e.batch_id = ${id}::bigint`, { running: false })) === AT_ONCE);
}

/** Expires the queued evaluations whose deadline has passed. Called by a background job. */
export async function expireEvaluations(database: Database): Promise<void> {
  const due = sql`e.deadline_at <= clock_timestamp()`;
  for (;;) {
    const { rows } = await sql<{ account_id: string }>`
      select e.account_id from evaluation e join run r on r.submission_id = e.submission_id
      where e.state = 'open' and ${due} and r.state = 'queued' limit 1`.execute(database.db);
    if (rows[0] === undefined) return;
    await endOpen(database, rows[0].account_id, due, { running: false });
  }
}

/**
 * Ends open evaluations `e` of an account, at most `AT_ONCE`: `expired` if their deadline has passed, else `cancelled`.
 * Their runs are cancelled unless other evaluations share them.
 * @param running Whether to end those that are running, too.
 * @returns the number of evaluations that were found.
 */
function endOpen(
  { db }: Database,
  accountId: string,
  where: RawBuilder<unknown>,
  { running }: { running: boolean },
): Promise<number> {
  return runTransaction(idempotent(db), async (transaction) => {
    await lockEvaluations(transaction, accountId);
    const states = running ? ["queued", "running"] : ["queued"];
    const { rows } = await sql<{ id: number; submission_id: number; others: boolean }>`
      with found as materialized (
        select e.id, e.submission_id from evaluation e join run r on r.submission_id = e.submission_id
        where e.state = 'open' and e.account_id = ${accountId} and r.state = any(${states}::text[]) and ${where}
        order by e.id limit ${AT_ONCE}::integer)
      select found.*, exists (select from evaluation o where o.submission_id = found.submission_id and o.state = 'open'
        and o.id not in (select id from found)) as others
      from found order by found.submission_id`.execute(transaction);
    await endShared(
      transaction,
      rows.filter(({ others }) => others).map(({ id }) => id),
    );
    const own = new Set(rows.filter(({ others }) => !others).map(({ submission_id }) => submission_id));
    // The trigger end_evaluations ends the evaluations of a cancelled run.
    for (const id of own) await cancelOpenRuns(transaction, id, { running });
    return rows.length;
  });
}

async function endShared(transaction: Transaction<Tables>, ids: readonly number[]): Promise<void> {
  await sql`
    update evaluation set ended_at = clock_timestamp(),
      state = case when deadline_at <= clock_timestamp() then 'expired' else 'cancelled' end
    where id = any(${[...ids]}::bigint[]) and state = 'open'`.execute(transaction);
}
