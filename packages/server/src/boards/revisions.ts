/**
 * Change counters, which grow whenever a board's display changes: of one board, and of all boards in a viewer's lists.
 */
import { sql } from "kysely";
import { inList, type Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";

/** Returns the change counter of a board; 0 if it has none. Does not check access. */
export async function readRevision({ db }: Database, board: string, target: string): Promise<number> {
  const row = await db
    .selectFrom("board_revision")
    .select("revision")
    .where("problem", "=", board)
    .where("target", "=", target)
    .executeTakeFirst();
  return row?.revision ?? 0;
}

/**
 * Returns a number that changes whenever a board or what a freeze hides of it may have changed. For viewers who may see
 * hidden entries.
 */
export async function readWholeRevision(database: Database, board: string, target: string): Promise<number> {
  const [revision, hidden] = await Promise.all([
    readRevision(database, board, target),
    database.db
      .selectFrom("counted_run")
      .select(sql<number>`coalesce(sum(run_id), 0)::bigint`.as("runs"))
      .where("problem", "=", board)
      .where("target", "=", target)
      .where("hidden", "=", true)
      .executeTakeFirstOrThrow(),
  ]);
  return revision + hidden.runs;
}

/**
 * Returns a number that changes whenever a board in the viewer's lists, or of a competition, may have changed, was
 * added or was removed. Counts only these boards, so that changes elsewhere, as in a closed competition, are not
 * revealed.
 */
export async function readListRevision({ db }: Database, viewer: Viewer, competition?: string): Promise<number> {
  const row = await db
    .selectFrom("board_revision as r")
    .innerJoin("problem", "problem.name", "r.problem")
    .select(sql<number>`coalesce(sum(r.revision), 0)::bigint`.as("revision"))
    .where(inList(viewer, competition))
    .executeTakeFirstOrThrow();
  return row.revision;
}
