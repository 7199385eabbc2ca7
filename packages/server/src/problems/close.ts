/** The end of a problem's boards. */
import { sql } from "kysely";
import { KernelBotError, quote, type ClosedProblem } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../db/identity.ts";
import { retrying } from "../db/retry.ts";
import { audit } from "../people/audit.ts";

/**
 * Closes a problem for good: it takes no ranked submissions any more, and receipts carry the seeds of their runs. Runs
 * that were accepted before still end. Closed again, it stays closed since the first time.
 * @throws KernelBotError `forbidden` but for organisers; `not_found`.
 */
export async function closeProblem({ db }: Database, identity: Identity, name: string): Promise<ClosedProblem> {
  requireRole(identity, "organiser");
  const row = await retrying(() =>
    db.transaction().execute(async (transaction) => {
      const closed = await transaction
        .updateTable("problem")
        .set({ closed_at: sql<Date>`coalesce(closed_at, clock_timestamp())` })
        .where("name", "=", name)
        .returning("closed_at")
        .executeTakeFirst();
      if (closed !== undefined) await audit(transaction, identity, "close", `problem ${name}`);
      return closed;
    }),
  );
  if (row?.closed_at == null) throw new KernelBotError("not_found", `there is no problem ${quote(name)}`);
  return { name, closedAt: row.closed_at.toISOString() };
}
