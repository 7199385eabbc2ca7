import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";

export interface Place {
  /** The competition of the problem; null for practice. */
  competition: string | null;
  /** On which it has boards, in order. */
  targets: string[];
}

/** Where the boards of a problem stand, for one who has found one of them. */
export async function readPlace({ db }: Database, problem: string): Promise<Place> {
  const rows = await retrying(() =>
    db
      .selectFrom("board")
      .innerJoin("problem", "problem.name", "board.problem")
      .select(["board.target", "problem.competition"])
      .where("board.problem", "=", problem)
      .orderBy("board.target")
      .execute(),
  );
  return { competition: rows[0]?.competition ?? null, targets: rows.map(({ target }) => target) };
}
