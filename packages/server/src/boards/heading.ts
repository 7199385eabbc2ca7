import type { Database } from "../db/database.ts";

export interface BoardContext {
  /** Competition of the problem; null for practice. */
  competition: string | null;
  /** Targets on which the problem has boards, sorted. */
  targets: string[];
}

/**
 * Returns the competition of a problem and the targets of its boards. Does not check access; the caller must have read
 * one of the boards.
 */
export async function readBoardContext({ db }: Database, problem: string): Promise<BoardContext> {
  const rows = await db
    .selectFrom("board")
    .innerJoin("problem", "problem.name", "board.problem")
    .select(["board.target", "problem.competition"])
    .where("board.problem", "=", problem)
    .orderBy("board.target")
    .execute();
  return { competition: rows[0]?.competition ?? null, targets: rows.map(({ target }) => target) };
}
