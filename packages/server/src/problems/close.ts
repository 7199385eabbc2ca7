/** The end of a problem's boards. */
import { sql } from "kysely";
import { KernelBotError, quote, type ClosedProblem } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";

/**
 * Closes a problem for good: it takes no ranked submissions any more, and receipts carry the seeds of their runs. Runs
 * that were accepted before still end. Closed again, it stays closed since the first time.
 * @throws KernelBotError `not_found`.
 */
export async function closeProblem({ db }: Database, name: string): Promise<ClosedProblem> {
  const row = await retrying(() =>
    db
      .updateTable("problem")
      .set({ closed_at: sql<Date>`coalesce(closed_at, clock_timestamp())` })
      .where("name", "=", name)
      .returning("closed_at")
      .executeTakeFirst(),
  );
  if (row?.closed_at == null) throw new KernelBotError("not_found", `there is no problem ${quote(name)}`);
  return { name, closedAt: row.closed_at.toISOString() };
}
