/** Lists boards with their leaders, from the view `board_entry`. */
import { sql, type RawBuilder } from "kysely";
import { compareBoards, type BoardSummary } from "@kernelbot/core";
import { inList, reachable, type Viewer } from "../auth/visibility.ts";
import { shownAccount } from "../competitions/pseudonyms.ts";
import type { Database } from "../db/database.ts";
import { withBest } from "../db/ranked-columns.ts";

import { freezeOf } from "./board-version.ts";

/**
 * Lists the boards of the problems that `listProblems` returns, with their leaders, by name and target.
 * @param problems Names of the problems; default: all.
 */
export function listBoards(
  database: Database,
  viewer: Viewer,
  { competition, problems }: { competition?: string | undefined; problems?: readonly string[] } = {},
): Promise<BoardSummary[]> {
  const all = inList(viewer, competition);
  if (problems === undefined) return summaries(database, all);
  return summaries(database, sql<boolean>`(problem.name = any(${problems}::text[]) and ${all})`);
}

/** Lists the boards of a problem with their leaders, by target. Empty if the viewer may not see the problem. */
export function listBoardsOfProblem(database: Database, viewer: Viewer, problem: string): Promise<BoardSummary[]> {
  return summaries(database, sql<boolean>`(problem.name = ${problem} and ${reachable(viewer, "problem.competition")})`);
}

async function summaries({ db }: Database, which: RawBuilder<boolean>): Promise<BoardSummary[]> {
  const rows = await db
    .selectFrom("board")
    .innerJoin("problem", "problem.name", "board.problem")
    .innerJoin("problem_window as w", "w.problem", "problem.name")
    .leftJoinLateral(
      (select) =>
        select
          .selectFrom("board_entry as every")
          .select((build) => build.fn.countAll<number>().as("entries"))
          .select((build) => build.fn.min("every.rank_key").as("best_key"))
          .whereRef("every.problem", "=", "board.problem")
          .whereRef("every.target", "=", "board.target")
          .as("n"),
      (join) => join.onTrue(),
    )
    .leftJoinLateral(
      (select) =>
        select
          .selectFrom("board_entry as first")
          .selectAll()
          .whereRef("first.problem", "=", "board.problem")
          .whereRef("first.target", "=", "board.target")
          .whereRef("first.rank_key", "=", "n.best_key")
          .orderBy("first.entry_run_id")
          .limit(1)
          .as("e"),
      (join) => join.onTrue(),
    )
    .leftJoin("account", "account.id", "e.account_id")
    .leftJoin("competition", "competition.name", "problem.competition")
    .leftJoin("team", "team.id", "e.team_id")
    .select([
      "board.problem",
      "problem.set_name",
      "board.target",
      "e.account_id",
      "account.name",
      "e.time_ns",
      "e.ranked_by",
      "e.ranked_value",
      "e.unsandboxed",
    ])
    .select(["e.team_id", "team.name as team_name", "w.frozen", "w.freezes_at", "w.reveals_at"])
    .select("n.entries")
    .select(sql<string | null>`shown_as(e.account_id, competition.pseudonym_key)`.as("shown_as"))
    .where(which)
    // Boards on other targets accept no ranked submissions while the problem is in its competition.
    .where(sql<boolean>`coalesce(board.target = any (w.targets), true)`)
    .execute();
  return rows.toSorted(compareBoards).map((row) => ({
    board: row.problem,
    set: row.set_name,
    target: row.target,
    entries: row.entries ?? 0,
    leader:
      row.account_id === null || row.name === null
        ? null
        : shownAccount({ id: row.account_id, name: row.name }, row.shown_as),
    team: row.team_id === null || row.team_name === null ? null : { id: row.team_id, name: row.team_name },
    bestNs: row.time_ns,
    ...withBest("bestRankedBy", row),
    unsandboxed: row.unsandboxed ?? false,
    freeze: freezeOf(row),
  }));
}
