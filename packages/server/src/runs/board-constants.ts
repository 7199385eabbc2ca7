/** Values of the first ranked run of a board's revision, at which the scores of all its runs are given. */
import type { Kysely, Selectable, Transaction } from "kysely";
import type { Tables } from "../db/tables.ts";

/** Lists have one value for each benchmark case, in nanoseconds, and are null if the board does not need them. */
export interface BoardConstants {
  /** Times of the reference, for boards whose target is a CPU. */
  referenceNs: number[] | null;
  /** Speed-of-light bounds, for boards that rank by efficiency. */
  boundsNs: number[] | null;
}

export const NO_CONSTANTS: BoardConstants = { referenceNs: null, boundsNs: null };

type RunOfBoard = Pick<Selectable<Tables["run"]>, "problem_version" | "target">;

/** Returns the stored constants of the board of a run; null if it has none. */
export async function findBoardConstants(db: Kysely<Tables>, run: RunOfBoard): Promise<BoardConstants | null> {
  const row = await db
    .selectFrom("board_reference")
    .innerJoin("board_revision", (join) =>
      join
        .onRef("board_revision.problem", "=", "board_reference.problem")
        .onRef("board_revision.target", "=", "board_reference.target")
        .onRef("board_revision.revision", "=", "board_reference.revision"),
    )
    .select(["case_times_ns", "case_bounds_ns"])
    .where("board_revision.problem_version", "=", run.problem_version)
    .where("board_revision.target", "=", run.target)
    .executeTakeFirst();
  return row === undefined ? null : { referenceNs: row.case_times_ns, boundsNs: row.case_bounds_ns };
}

/**
 * Returns the constants of the board of a run. If the board has none, these are the values of the run itself, which are
 * stored if the run counts. A run without a board has no reference times.
 */
export async function boardConstants(
  transaction: Transaction<Tables>,
  { id }: { id: number },
  counts: boolean,
  own: BoardConstants,
): Promise<BoardConstants> {
  if (own.referenceNs === null && own.boundsNs === null) return own;
  const board = await transaction
    .selectFrom("run")
    .innerJoin("board_revision", (join) =>
      join
        .onRef("board_revision.problem_version", "=", "run.problem_version")
        .onRef("board_revision.target", "=", "run.target"),
    )
    .select(["board_revision.problem", "board_revision.target", "board_revision.revision", "run.problem_version"])
    .where("run.id", "=", id)
    .executeTakeFirst();
  if (board === undefined) return { ...own, referenceNs: null };
  const { problem_version: _, ...key } = board;
  if (counts) {
    await transaction
      .insertInto("board_reference")
      .values({ ...key, case_times_ns: own.referenceNs, case_bounds_ns: own.boundsNs })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  // Read by a statement of its own: another transaction may have inserted the row.
  return (await findBoardConstants(transaction, board)) ?? own;
}
