/** Closes the boards of a problem. */
import { sql } from "kysely";
import type { ClosedProblem } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { audit } from "../auth/audit.ts";
import { lockOwnProblem } from "./ownership.ts";

/**
 * Closes a problem permanently: it accepts no more ranked submissions, and receipts contain the seeds of their runs.
 * Accepted runs still finish. Idempotent: the first closing time is kept.
 * @throws KernelBotError `forbidden` unless the caller organises its competition, or is an administrator for a practice
 * problem; `not_found`.
 */
export async function closeProblem({ db }: Database, identity: Identity, name: string): Promise<ClosedProblem> {
  requireRole(identity, "organiser");
  const closedAt = await runTransaction(idempotent(db), async (transaction) => {
    await lockOwnProblem(transaction, identity, name);
    const { closed_at } = await transaction
      .updateTable("problem")
      .set({ closed_at: sql<Date>`coalesce(closed_at, clock_timestamp())` })
      .where("name", "=", name)
      .returning(sql<Date>`closed_at`.as("closed_at"))
      .executeTakeFirstOrThrow();
    await audit(transaction, identity, "close", `problem ${name}`);
    return closed_at;
  });
  return { name, closedAt: closedAt.toISOString() };
}
