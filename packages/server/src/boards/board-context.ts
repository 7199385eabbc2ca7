import { compareTargets } from "@kernelbot/core";
import { sql } from "kysely";
import type { Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";

interface BoardContext {
  /** Competition of the problem; null for practice. */
  competition: string | null;
  /** Targets on which the problem has boards, sorted. */
  targets: string[];
  /** Id under which the boards show the viewer; null without an account. */
  viewerId: string | null;
}

/**
 * Returns the competition of a problem and the targets of its boards. Does not check access; the caller must have read
 * one of the boards.
 */
export async function readBoardContext({ db }: Database, viewer: Viewer, problem: string): Promise<BoardContext> {
  const viewerId = viewer?.account.id ?? null;
  const rows = await db
    .selectFrom("board")
    .innerJoin("problem", "problem.name", "board.problem")
    .leftJoin("competition", "competition.name", "problem.competition")
    .select(["board.target", "problem.competition"])
    .select(
      sql<string | null>`coalesce(shown_as(${viewerId}::text, competition.pseudonym_key), ${viewerId}::text)`.as(
        "viewerId",
      ),
    )
    .where("board.problem", "=", problem)
    .execute();
  const [first] = rows;
  return {
    competition: first?.competition ?? null,
    targets: rows.map(({ target }) => target).toSorted(compareTargets),
    viewerId: first?.viewerId ?? null,
  };
}
