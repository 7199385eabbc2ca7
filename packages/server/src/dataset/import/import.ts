/**
 * Imports the rows of a competition that ended elsewhere, batch by batch. The source's ids of problems, users and runs
 * are stored, so that a repeated batch changes nothing and an interrupted import is resumed by starting it again.
 */
import { sql } from "kysely";
import type { ImportResult, ImportBatch } from "@kernelbot/core";
import type { Database } from "../../db/database.ts";
import { idempotent } from "../../db/idempotent.ts";
import { runTransaction } from "../../db/transaction.ts";
import { requireRole, type Identity } from "../../auth/identity.ts";
import { putAccounts } from "./accounts.ts";
import { putCompetition } from "./competition.ts";
import { problemsByNumber, putProblems } from "./problems.ts";
import { putRuns } from "./runs.ts";

/**
 * Imports one batch.
 * @throws KernelBotError `forbidden` for callers other than administrators; `unprocessable` when the competition has
 * not ended, or a row refers to an unknown problem or source; `conflict` when the competition or a problem exists and
 * differs.
 */
export async function importBatch(database: Database, identity: Identity, batch: ImportBatch): Promise<ImportResult> {
  requireRole(identity, "administrator");
  const { head, problems, rows } = batch;
  return runTransaction(idempotent(database.db), async (transaction) => {
    // Concurrent batches of a source would create the same accounts and problems.
    await sql`select pg_advisory_xact_lock(hashtextextended(${head.source}, 24))`.execute(transaction);
    await putCompetition(transaction, identity, head);
    const named = await putProblems(transaction, head, problems);
    const boards = await problemsByNumber(transaction, head, rows);
    const { accounts, made: accountsMade } = await putAccounts(transaction, batch);
    const runs = await putRuns(transaction, batch, boards, accounts);
    return { problems: named, accounts: accountsMade, ...runs };
  });
}
