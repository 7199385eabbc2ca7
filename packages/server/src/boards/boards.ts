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
import { perDatabase } from "../db/per-database.ts";
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

/** So many rows are kept in memory, of the boards that were read last. */
const KEPT_ROWS = 50_000;

/** Boards as they were read last. Ten thousand rows take a quarter of a second to read, and many look at the same. */
const keptBoards = perDatabase(() => new Map<string, { revision: number; read: Promise<Board>; rows: number }>());

/**
 * A board with all its rows, from fast to slow. It is read once for each of its revisions, for all who may see it.
 * @throws KernelBotError `not_found` where there is no such board for this viewer.
 */
export async function readBoard(database: Database, viewer: Viewer, board: string, target: string): Promise<Board> {
  // Its revision before its rows, so that these are never older than that.
  const head = await readHead(database, viewer, board, target);
  const kept = keptBoards(database);
  const key = `${board} ${target}`;
  const known = kept.get(key);
  // Whoever asks last is at the end.
  kept.delete(key);
  if (known?.revision === head.revision) {
    kept.set(key, known);
    return known.read;
  }
  const entry = { revision: head.revision, read: readRows(database, head, board, target), rows: 0 };
  kept.set(key, entry);
  try {
    const read = await entry.read;
    entry.rows = read.rows.length;
    forgetOldest(kept);
    return read;
  } catch (error) {
    if (kept.get(key) === entry) kept.delete(key);
    throw error;
  }
}

/** The same for a target that may have no board any more; null where it has none for this viewer. */
export async function findBoard(
  database: Database,
  viewer: Viewer,
  board: string,
  target: string,
): Promise<Board | null> {
  return readBoard(database, viewer, board, target).catch((error: unknown) => {
    if (error instanceof KernelBotError && error.code === "not_found") return null;
    throw error;
  });
}

function forgetOldest(kept: Map<string, { rows: number }>): void {
  let total = 0;
  for (const [key, { rows }] of [...kept].reverse()) {
    total += rows;
    if (total > KEPT_ROWS) kept.delete(key);
  }
}

async function readRows({ db }: Database, head: Head, board: string, target: string): Promise<Board> {
  const { version, spec, revision } = head;
  const rows = await retrying(() =>
    db
      .selectFrom("board_entry as e")
      .innerJoin("account", "account.id", "e.account_id")
      .innerJoin("submission", "submission.id", "e.submission_id")
      .leftJoin("team", "team.id", "e.team_id")
      // Ten thousand rows come at once, so that a column less is time.
      .select(["e.account_id", "e.team_id", "e.submission_id", "e.run_id", "e.unsandboxed", "e.confirmed"])
      .select(["e.time_ns", "e.time_low_ns", "e.time_high_ns", "e.speedup", "e.speedup_low", "e.speedup_high"])
      .select(["e.case_times_ns", "e.floor_share"])
      .select(
        sql<number[] | null>`case when e.confirmed
          then array[e.entry_run_id, e.entry_time_ns, e.entry_time_low_ns, e.entry_time_high_ns] end`.as("entered_by"),
      )
      .select(["account.name", "submission.file_name", "submission.created_at"])
      .select(["submission.author_kind", "submission.model"])
      .select(["team.name as team_name", TEAM_MEMBERS.as("members")])
      .where("e.problem", "=", board)
      .where("e.target", "=", target)
      .orderBy("e.time_ns")
      .orderBy("e.entry_run_id")
      .execute(),
  );
  return {
    board,
    target,
    problemVersion: version,
    rankingBy: spec.rankingBy,
    revision,
    cases: casesFor(spec, target).benchmarks.map(caseLine),
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
        enteredBy: enteredBy(row.entered_by),
        fileName: row.file_name,
        timeNs: { value: row.time_ns, low: row.time_low_ns, high: row.time_high_ns },
        speedup: speedupOf(row),
        caseTimesNs: row.case_times_ns ?? [],
        floorShare: row.floor_share,
        submittedAt: row.created_at.toISOString(),
        author: { kind: row.author_kind, model: row.model },
        unsandboxed: row.unsandboxed,
        legacyHarness: spec.harness === "legacy",
        imported: spec.harness === "imported",
      })),
    ),
  };
}

type Head = Awaited<ReturnType<typeof readHead>>;

/**
 * What a board is about, and its revision.
 * @throws KernelBotError `not_found` where there is no such board for this viewer.
 */
export async function readHead({ db }: Database, viewer: Viewer, board: string, target: string) {
  const head = await retrying(() =>
    db
      .selectFrom("board")
      .innerJoin("problem", "problem.name", "board.problem")
      .innerJoin("problem_version", "problem_version.hash", "problem.version")
      .leftJoin("board_revision as r", (join) =>
        join.onRef("r.problem", "=", "board.problem").onRef("r.target", "=", "board.target"),
      )
      .select(["problem.version", "problem_version.spec", sql<number>`coalesce(r.revision, 0)`.as("revision")])
      .where("board.problem", "=", board)
      .where("board.target", "=", target)
      .where(reachable(viewer, "problem.competition"))
      .executeTakeFirst(),
  );
  if (head !== undefined) return head;
  throw new KernelBotError("not_found", `there is no board ${quote(board)} on the target ${quote(target)}`);
}

function enteredBy(row: number[] | null): BoardRow["enteredBy"] {
  if (row === null) return null;
  const [runId, value, low, high] = row as [number, number, number, number];
  return { runId, timeNs: { value, low, high } };
}

type SpeedupColumns = Pick<Tables["board_entry"], "speedup" | "speedup_low" | "speedup_high">;

function speedupOf({ speedup, speedup_low, speedup_high }: SpeedupColumns): BoardRow["speedup"] {
  if (speedup === null || speedup_low === null || speedup_high === null) return null;
  return { value: speedup, low: speedup_low, high: speedup_high };
}
