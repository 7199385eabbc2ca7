/** The numbers that grow with what boards show: of one board, and of all that a viewer's lists have. */
import { sql } from "kysely";
import { inList, type Viewer } from "../competitions/access.ts";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";

/** That of a board, for who may see it; 0 where there is none. */
export async function readRevision({ db }: Database, board: string, target: string): Promise<number> {
  const row = await retrying(() =>
    db
      .selectFrom("board_revision")
      .select("revision")
      .where("problem", "=", board)
      .where("target", "=", target)
      .executeTakeFirst(),
  );
  return row?.revision ?? 0;
}

/** Another number whenever the board or what a freeze hides of it may have changed, for who may see that. */
export async function readWholeRevision(database: Database, board: string, target: string): Promise<number> {
  const [revision, hidden] = await Promise.all([
    readRevision(database, board, target),
    retrying(() =>
      database.db
        .selectFrom("counted_run")
        .select(sql<number>`coalesce(sum(run_id), 0)::bigint`.as("runs"))
        .where("problem", "=", board)
        .where("target", "=", target)
        .where("hidden", "=", true)
        .executeTakeFirstOrThrow(),
    ),
  ]);
  return revision + hidden.runs;
}

/**
 * Another number whenever a board of the viewer's lists, or of a competition, may have changed, or one came or went. It counts those boards alone:
 * what happens elsewhere, as in a closed competition, moves it for nobody who may not see that.
 */
export async function readListRevision({ db }: Database, viewer: Viewer, competition?: string): Promise<number> {
  const row = await retrying(() =>
    db
      .selectFrom("board_revision as r")
      .innerJoin("problem", "problem.name", "r.problem")
      .select(sql<number>`coalesce(sum(r.revision), 0)::bigint`.as("revision"))
      .where(inList(viewer, competition))
      .executeTakeFirstOrThrow(),
  );
  return row.revision;
}
