/**
 * Takes the rows of a competition that ended elsewhere, batch by batch. What a source calls a problem, a user or a run is
 * kept, so a batch that comes again changes nothing, and an import that broke off goes on by being begun again.
 */
import { sql } from "kysely";
import type { ImportAnswer, ImportBatch } from "@kernelbot/core";
import type { Database } from "../../db/database.ts";
import { requireRole, type Identity } from "../../db/identity.ts";
import { retrying } from "../../db/retry.ts";
import { putAccounts } from "./accounts.ts";
import { putCompetition } from "./competition.ts";
import { problemsByNumber, putProblems } from "./problems.ts";
import { putRuns } from "./runs.ts";

/**
 * @throws KernelBotError `forbidden` but for administrators; `unprocessable` for a competition that has not ended, and for
 * rows of a problem or with a source that no batch has brought; `conflict` where the competition or a problem is there
 * already and is another.
 */
export async function importBatch(database: Database, identity: Identity, batch: ImportBatch): Promise<ImportAnswer> {
  requireRole(identity, "administrator");
  const { head, problems, rows } = batch;
  return retrying(() =>
    database.db.transaction().execute(async (transaction) => {
      // Two batches of a source would make the same accounts and problems.
      await sql`select pg_advisory_xact_lock(hashtextextended(${head.source}, 24))`.execute(transaction);
      await putCompetition(transaction, identity, head);
      const named = await putProblems(transaction, head, problems);
      const boards = await problemsByNumber(transaction, head, rows);
      const { accounts, made: accountsMade } = await putAccounts(transaction, batch);
      const runs = await putRuns(transaction, batch, boards, accounts);
      return { problems: named, accounts: accountsMade, ...runs };
    }),
  );
}
