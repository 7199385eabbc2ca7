/** Retires the boards of a problem. */
import { KernelBotError } from "@kernelbot/core";
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { audit } from "../auth/audit.ts";
import { lockOwnProblem } from "./ownership.ts";

/**
 * Retires the boards of a problem: they accept no more submissions. Runs and results are kept. The boards open again
 * when the problem's directory is opened by name or synced in a new version.
 * @throws the errors of `lockOwnProblem`; KernelBotError `conflict` if there are submissions, unless `force`.
 */
export async function retireProblem(
  { db }: Database,
  identity: Identity,
  name: string,
  { force }: { force: boolean },
): Promise<void> {
  requireRole(identity, "organiser");
  await runTransaction(idempotent(db), async (transaction) => {
    await lockOwnProblem(transaction, identity, name);
    const { rows } = await sql<{ used: boolean }>`
        select exists (select from submission where problem = ${name}) as used`.execute(transaction);
    if (rows[0]?.used === true && !force) {
      throw new KernelBotError("conflict", `the boards of ${name} have submissions; use force to remove them`);
    }
    await transaction.updateTable("board").set({ accepts: false }).where("problem", "=", name).execute();
    await audit(transaction, identity, "retire", `problem ${name}`, { force });
  });
}
