/** The end of a problem's boards. */
import { sql } from "kysely";
import type { ClosedProblem } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../db/identity.ts";
import { retrying } from "../db/retry.ts";
import { audit } from "../people/audit.ts";
import { lockOwnProblem } from "./own.ts";

/**
 * Closes a problem for good: it takes no ranked submissions any more, and receipts carry the seeds of their runs. Runs
 * that were accepted before still end. Closed again, it stays closed since the first time.
 * @throws KernelBotError `forbidden` but for the organisers of its competition, and for practice but for administrators;
 * `not_found`.
 */
export async function closeProblem({ db }: Database, identity: Identity, name: string): Promise<ClosedProblem> {
  requireRole(identity, "organiser");
  const closedAt = await retrying(() =>
    db.transaction().execute(async (transaction) => {
      await lockOwnProblem(transaction, identity, name);
      const { closed_at } = await transaction
        .updateTable("problem")
        .set({ closed_at: sql<Date>`coalesce(closed_at, clock_timestamp())` })
        .where("name", "=", name)
        .returning(sql<Date>`closed_at`.as("closed_at"))
        .executeTakeFirstOrThrow();
      await audit(transaction, identity, "close", `problem ${name}`);
      return closed_at;
    }),
  );
  return { name, closedAt: closedAt.toISOString() };
}
