/**
 * Change numbers, which grow whenever a board's display changes: of one board, and of all boards in a viewer's lists.
 */
import { sql } from "kysely";
import { inList, type Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";

/** Returns the change number of a board; 0 if it has none. Does not check access. */
export async function readChangeNumber({ db }: Database, board: string, target: string): Promise<number> {
  const row = await db
    .selectFrom("board_change")
    .select("change_number")
    .where("problem", "=", board)
    .where("target", "=", target)
    .executeTakeFirst();
  return row?.change_number ?? 0;
}

/**
 * Returns a number that changes whenever a board or what a freeze hides of it may have changed. For viewers who may see
 * hidden entries.
 */
export async function readWholeChangeNumber(database: Database, board: string, target: string): Promise<number> {
  const [changeNumber, hidden] = await Promise.all([
    readChangeNumber(database, board, target),
    database.db
      .selectFrom("board_run")
      .select(sql<number>`coalesce(sum(run_id), 0)::bigint`.as("runs"))
      .where("problem", "=", board)
      .where("target", "=", target)
      .where("hidden", "=", true)
      .executeTakeFirstOrThrow(),
  ]);
  return changeNumber + hidden.runs;
}

/**
 * Returns a number that changes whenever a board in the viewer's lists, or of a competition, may have changed, was
 * added or was removed. Counts only these boards, so that changes elsewhere, as in a closed competition, are not
 * revealed.
 */
export async function readListChangeNumber({ db }: Database, viewer: Viewer, competition?: string): Promise<number> {
  const row = await db
    .selectFrom("board_change as r")
    .innerJoin("problem", "problem.name", "r.problem")
    .select(sql<number>`coalesce(sum(r.change_number), 0)::bigint`.as("change_number"))
    .where(inList(viewer, competition))
    .executeTakeFirstOrThrow();
  return row.change_number;
}
