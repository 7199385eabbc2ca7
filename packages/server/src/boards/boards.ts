/** The boards, all of them read from the one view `board_entry`. */
import { sql, type RawBuilder } from "kysely";
import {
  caseLine,
  casesFor,
  KernelBotError,
  quote,
  rank,
  type Board,
  type BoardRow,
  type BoardSummary,
} from "@kernelbot/core";
import { inList, reachable, type Viewer } from "../competitions/access.ts";
import { TEAM_MEMBERS } from "../competitions/teams.ts";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";

/** The boards of `listProblems` with their leaders, in order of name and target. */
export function listBoards(database: Database, viewer: Viewer, competition?: string): Promise<BoardSummary[]> {
  return summaries(database, inList(viewer, competition));
}

/** The boards of a problem with their leaders, in order of target; none where it is not there for this viewer. */
export function boardsOf(database: Database, viewer: Viewer, problem: string): Promise<BoardSummary[]> {
  return summaries(database, sql<boolean>`(problem.name = ${problem} and ${reachable(viewer, "problem.competition")})`);
}

async function summaries({ db }: Database, which: RawBuilder<boolean>): Promise<BoardSummary[]> {
  const rows = await retrying(() =>
    db
      .selectFrom("board")
      .innerJoin("problem", "problem.name", "board.problem")
      .leftJoin("board_entry as e", (join) =>
        join.onRef("e.problem", "=", "board.problem").onRef("e.target", "=", "board.target"),
      )
      .leftJoin("account", "account.id", "e.account_id")
      .leftJoin("team", "team.id", "e.team_id")
      .distinctOn(["board.problem", "board.target"])
      .select(["board.problem", "board.target", "e.account_id", "account.name", "e.time_ns", "e.unsandboxed"])
      .select(["e.team_id", "team.name as team_name"])
      .select(sql<number>`count(e.run_id) over (partition by board.problem, board.target)`.as("entries"))
      .where(which)
      .orderBy("board.problem")
      .orderBy("board.target")
      .orderBy("e.time_ns")
      .orderBy("e.entry_run_id")
      .execute(),
  );
  return rows.map((row) => ({
    board: row.problem,
    target: row.target,
    entries: row.entries,
    leader: row.account_id === null || row.name === null ? null : { id: row.account_id, name: row.name },
    team: row.team_id === null || row.team_name === null ? null : { id: row.team_id, name: row.team_name },
    bestNs: row.time_ns,
    unsandboxed: row.unsandboxed ?? false,
  }));
}

/**
 * A board with all its rows, from fast to slow.
 * @throws KernelBotError `not_found` where there is no such board for this viewer.
 */
export async function readBoard({ db }: Database, viewer: Viewer, board: string, target: string): Promise<Board> {
  const [head, rows] = await retrying(() =>
    Promise.all([
      db
        .selectFrom("board")
        .innerJoin("problem", "problem.name", "board.problem")
        .innerJoin("problem_version", "problem_version.hash", "problem.version")
        .select(["problem.version", "problem_version.spec"])
        .where("board.problem", "=", board)
        .where("board.target", "=", target)
        .where(reachable(viewer, "problem.competition"))
        .executeTakeFirst(),
      db
        .selectFrom("board_entry as e")
        .innerJoin("account", "account.id", "e.account_id")
        .innerJoin("submission", "submission.id", "e.submission_id")
        .leftJoin("team", "team.id", "e.team_id")
        .selectAll("e")
        .select(["account.name", "submission.file_name", "submission.created_at"])
        .select(["submission.author_kind", "submission.model"])
        .select(["team.name as team_name", TEAM_MEMBERS.as("members")])
        .where("e.problem", "=", board)
        .where("e.target", "=", target)
        .orderBy("e.time_ns")
        .orderBy("e.entry_run_id")
        .execute(),
    ]),
  );
  if (head === undefined) {
    throw new KernelBotError("not_found", `there is no board ${quote(board)} on the target ${quote(target)}`);
  }
  return {
    board,
    target,
    problemVersion: head.version,
    rankingBy: head.spec.rankingBy,
    revision: 0,
    cases: casesFor(head.spec, target).benchmarks.map(caseLine),
    rows: rank(
      rows.map((row) => ({
        account: { id: row.account_id, name: row.name },
        team:
          row.team_id === null || row.team_name === null
            ? null
            : { id: row.team_id, name: row.team_name, members: row.members },
        submissionId: row.submission_id,
        runId: row.run_id,
        standing: row.confirmed ? "confirmed" : "provisional",
        enteredBy: row.confirmed
          ? {
              runId: row.entry_run_id,
              timeNs: { value: row.entry_time_ns, low: row.entry_time_low_ns, high: row.entry_time_high_ns },
            }
          : null,
        fileName: row.file_name,
        timeNs: { value: row.time_ns, low: row.time_low_ns, high: row.time_high_ns },
        speedup: speedupOf(row),
        caseTimesNs: [],
        floorShare: null,
        submittedAt: row.created_at.toISOString(),
        author: { kind: row.author_kind, model: row.model },
        unsandboxed: row.unsandboxed,
        legacyHarness: head.spec.harness === "legacy",
      })),
    ),
  };
}

type SpeedupColumns = Pick<Tables["board_entry"], "speedup" | "speedup_low" | "speedup_high">;

function speedupOf({ speedup, speedup_low, speedup_high }: SpeedupColumns): BoardRow["speedup"] {
  if (speedup === null || speedup_low === null || speedup_high === null) return null;
  return { value: speedup, low: speedup_low, high: speedup_high };
}
