/** Problem version, revision and freeze of a board. */
import { sql } from "kysely";
import { KernelBotError, quote, type Freeze } from "@kernelbot/core";
import { reachable, seesThroughFreeze, type Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";

export type BoardHead = Awaited<ReturnType<typeof readHead>>;

/**
 * Returns the problem version, revision, change number and freeze of a board. `revision` defaults to the current one.
 * @throws KernelBotError `not_found` if there is no such board for the viewer.
 */
export async function readHead(
  { db }: Database,
  viewer: Viewer,
  board: string,
  target: string,
  revision: number | null = null,
) {
  const head = await db
    .selectFrom("board")
    .innerJoin("problem", "problem.name", "board.problem")
    .innerJoin("board_revision as e", (join) =>
      join.onRef("e.problem", "=", "board.problem").onRef("e.target", "=", "board.target"),
    )
    .innerJoin("problem_version", "problem_version.hash", "e.problem_version")
    .leftJoin("competition", "competition.name", "problem.competition")
    .innerJoin("problem_window as w", "w.problem", "problem.name")
    .leftJoin("board_change as r", (join) =>
      join.onRef("r.problem", "=", "board.problem").onRef("r.target", "=", "board.target"),
    )
    .select(["e.created_at as since", "e.problem_version as version", "e.revision", "board.revision as current"])
    .select(["problem_version.spec", "problem_version.application_gate as gate"])
    .select("competition.pseudonym_key as pseudonymKey")
    .select(sql<number>`coalesce(r.change_number, 0)`.as("changeNumber"))
    .select(["w.frozen", "w.freezes_at", "w.reveals_at"])
    .where("board.problem", "=", board)
    .where("board.target", "=", target)
    .where(reachable(viewer, "problem.competition"))
    .$if(revision !== null, (query) => query.where("e.revision", "=", revision))
    .orderBy(sql`(e.revision = board.revision)`, "desc")
    .orderBy(sql`(e.problem_version = board.version)`, "desc")
    .orderBy("e.created_at", "desc")
    .limit(1)
    .executeTakeFirst();
  if (head !== undefined) return { ...head, freeze: freezeOf(head) };
  if (revision !== null) {
    const what = `board ${quote(board)} on target ${quote(target)} has no revision ${revision}`;
    throw new KernelBotError("not_found", what);
  }
  throw new KernelBotError("not_found", `board ${quote(board)} on target ${quote(target)} not found`);
}

type FreezeColumns = Pick<Tables["problem_window"], "frozen" | "freezes_at" | "reveals_at">;

/** Returns since when and until when a board is frozen; null if it is not frozen now. */
export function freezeOf({ frozen, freezes_at, reveals_at }: FreezeColumns): Freeze | null {
  if (!frozen || freezes_at === null || reveals_at === null) return null;
  return { since: freezes_at.toISOString(), until: reveals_at.toISOString() };
}

/**
 * Checks that the viewer may see what a freeze hides on the boards of a problem.
 * @throws KernelBotError `forbidden`.
 */
export async function requireUnfrozenAccess(database: Database, viewer: Viewer, board: string): Promise<void> {
  if (await seesThroughFreeze(database, viewer, board)) return;
  throw new KernelBotError(
    "forbidden",
    `entries hidden by the freeze of ${board} are visible only to moderators and the organisers of its competition`,
  );
}
