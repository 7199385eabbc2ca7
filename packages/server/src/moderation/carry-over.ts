/**
 * Carries entries of a former revision of a board over to the current one: the best submission of each entrant is run
 * again with the current version of the problem. A run that passes counts as an entry of the current revision with its
 * original submission time; a run that fails does not affect the former entry.
 */
import { sql } from "kysely";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { hasRole, type Identity } from "../auth/identity.ts";
import { audit } from "../auth/audit.ts";
import { lockOwnProblem } from "../problems/ownership.ts";
import { append } from "../runs/log.ts";

/**
 * Queues the runs that carry the entries of a former revision over.
 * @param revision The former revision of the board.
 * @param top Number of entries, from the fastest; null for all.
 * @returns the ids of the new runs. Entries that were already carried over, or whose run is in progress, get none.
 * @throws KernelBotError `forbidden` unless the caller is a moderator or organises the problem; `not_found` if there is
 * no such revision; `conflict` if it is the current one, or the board is closed to submissions.
 */
export async function carryOver(
  database: Database,
  identity: Identity,
  { board, target, revision, top }: { board: string; target: string; revision: number; top: number | null },
): Promise<number[]> {
  const { db } = database;
  const current = await runTransaction(idempotent(db), async (transaction) => {
    if (!hasRole(identity, "moderator")) await lockOwnProblem(transaction, identity, board);
    const known = await transaction
      .selectFrom("board")
      .innerJoin("board_revision as e", (join) =>
        join.onRef("e.problem", "=", "board.problem").onRef("e.target", "=", "board.target"),
      )
      .select(["board.revision", "board.accepts"])
      .where("board.problem", "=", board)
      .where("board.target", "=", target)
      .where("e.revision", "=", revision)
      .executeTakeFirst();
    if (known === undefined) {
      const what = `board ${quote(board)} on target ${quote(target)} has no revision ${revision}`;
      throw new KernelBotError("not_found", what);
    }
    if (known.revision === revision) {
      throw new KernelBotError(
        "conflict",
        `revision ${revision} is the one that the board currently shows; name an earlier one`,
      );
    }
    if (!known.accepts)
      throw new KernelBotError("conflict", `the board ${board} on ${target} no longer accepts submissions`);
    return known.revision;
  });
  const entries = await db
    .selectFrom("revision_entry")
    .select("entry_run_id")
    .where("problem", "=", board)
    .where("target", "=", target)
    .where(sql<boolean>`revision = ${revision}`)
    .orderBy("rank_key")
    .orderBy("entry_run_id")
    .$if(top !== null, (query) => query.limit(top as number))
    .execute();
  const runs: number[] = [];
  // A separate transaction for each, so that locks are short.
  for (const { entry_run_id } of entries) {
    const id = await carryOverEntry(database, entry_run_id, current);
    if (id !== null) runs.push(id);
  }
  await runTransaction(idempotent(db), (transaction) =>
    audit(transaction, identity, "rerun", `board ${board} ${target}`, { revision, runs }),
  );
  return runs;
}

/**
 * Returns the id of the new run; null if the submission already has a queued, running or judged run on the current
 * revision.
 */
function carryOverEntry({ db }: Database, runId: number, revision: number): Promise<number | null> {
  return runTransaction(idempotent(db), async (transaction) => {
    // Serializes concurrent calls for the same submission, and waits for a deletion of its source.
    await sql`select from submission where id = (select submission_id from run where id = ${runId}::bigint) for update`.execute(
      transaction,
    );
    const { rows } = await sql<{ id: number; submission_id: number; target: string }>`
      insert into run (submission_id, account_id, problem_version, target, mode, rerun, carried_over, tag)
      select entry.submission_id, entry.account_id, b.version, entry.target, 'ranked',
        1 + (select max(rerun) from run where run.submission_id = entry.submission_id and run.target = entry.target),
        true, rerun_tag(entry.target)
      from run entry
      join submission s on s.id = entry.submission_id
      join board b on b.problem = s.problem and b.target = entry.target
      where entry.id = ${runId}::bigint and b.revision = ${revision} and b.accepts and not entry.imported
        and s.contents_deleted_at is null
        and not exists (
          select from run there join board_revision e on e.problem_version = there.problem_version and e.target = there.target
          where there.submission_id = entry.submission_id and there.target = entry.target and e.revision = b.revision
            and there.state <> 'cancelled' and there.verdict is distinct from 'infra_error')
      returning id, submission_id, target`.execute(transaction);
    const [row] = rows;
    if (row === undefined) return null;
    const { id, submission_id, target } = row;
    const event = { type: "run_queued", target, reason: `re-run for revision ${revision} of its board` } as const;
    await append(transaction, submission_id, [{ runId: id, attempt: 0, event }]);
    await sql`select pg_notify('queue', ${target})`.execute(transaction);
    return id;
  });
}
