/**
 * Reads boards, always from the view `board_entry` or `best_entry`. While a board is frozen, authorised viewers can
 * also read it from `counted_entry`.
 */
import { sql, type RawBuilder } from "kysely";
import {
  caseLine,
  casesFor,
  KernelBotError,
  quote,
  rankEntries,
  type Board,
  type BoardRow,
  type BoardSummary,
  type Freeze,
} from "@kernelbot/core";
import { inList, reachable, seesThroughFreeze, type Viewer } from "../auth/visibility.ts";
import { TEAM_MEMBERS } from "../competitions/teams.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import type { Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { readWholeRevision } from "./revisions.ts";

/** Lists the boards of the problems that `listProblems` returns, with their leaders, by name and target. */
export function listBoards(database: Database, viewer: Viewer, competition?: string): Promise<BoardSummary[]> {
  return summaries(database, inList(viewer, competition));
}

/** Lists the boards of a problem with their leaders, by target. Empty if the viewer may not see the problem. */
export function boardsOf(database: Database, viewer: Viewer, problem: string): Promise<BoardSummary[]> {
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
          .select((build) => build.fn.min("every.time_ns").as("best_ns"))
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
          .whereRef("first.time_ns", "=", "n.best_ns")
          .orderBy("first.entry_run_id")
          .limit(1)
          .as("e"),
      (join) => join.onTrue(),
    )
    .leftJoin("account", "account.id", "e.account_id")
    .leftJoin("team", "team.id", "e.team_id")
    .select(["board.problem", "board.target", "e.account_id", "account.name", "e.time_ns", "e.unsandboxed"])
    .select(["e.team_id", "team.name as team_name", "w.frozen", "w.freezes_at", "w.reveals_at"])
    .select("n.entries")
    .where(which)
    // Boards on other targets accept no ranked submissions while the problem is in its competition.
    .where(sql<boolean>`coalesce(board.target = any (w.targets), true)`)
    .orderBy("board.problem")
    .orderBy("board.target")
    .execute();
  return rows.map((row) => ({
    board: row.problem,
    target: row.target,
    entries: row.entries ?? 0,
    leader: row.account_id === null || row.name === null ? null : { id: row.account_id, name: row.name },
    team: row.team_id === null || row.team_name === null ? null : { id: row.team_id, name: row.team_name },
    bestNs: row.time_ns,
    unsandboxed: row.unsandboxed ?? false,
    freeze: freezeOf(row),
  }));
}

/** Number of rows in the cache of boards; the least recently read boards are dropped. */
const KEPT_ROWS = 50_000;

/** Cache of boards. Reading 10 000 rows takes 250 ms, and many viewers read the same board. */
const keptBoards = perDatabase(() => new Map<string, { revision: number; read: Promise<Board>; rows: number }>());

/**
 * Returns a board with all its rows, from fast to slow. `edition` is a revision of the board, by default the current
 * one. Boards are cached by their change counter (`revision`) and shared by all viewers.
 * @throws KernelBotError `not_found` if there is no such board for the viewer.
 */
export async function readBoard(
  database: Database,
  viewer: Viewer,
  board: string,
  target: string,
  edition?: number,
): Promise<Board> {
  // Read the change counter before the rows, so that the rows are never older than the counter.
  const head = await readHead(database, viewer, board, target, edition);
  const kept = keptBoards(database);
  // A reveal changes the board before its change counter is incremented, so the freeze is part of the key.
  const key = JSON.stringify([board, target, head.edition, head.freeze]);
  const known = kept.get(key);
  // Deleted and set again, so that the most recently read board is last.
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

/** The first rows of a board, and the total numbers of entries and confirmed entries. */
export interface BoardTop {
  board: Board;
  entries: number;
  confirmed: number;
}

/** Cache of the first rows of boards. */
const keptTops = perDatabase(() => new Map<string, { revision: number; read: Promise<BoardTop> }>());

/** Maximum number of boards in `keptTops`. */
const KEPT_TOPS = 500;

/**
 * Returns the first rows of a board, which is all that most readers need and much less work than the whole board. Null
 * if the caller has to read the whole board: it is frozen, or a row of the viewer is further down.
 * @throws the errors of `readBoard`.
 */
export async function readTop(
  database: Database,
  viewer: Viewer,
  board: string,
  target: string,
  edition: number | undefined,
  rows: number,
): Promise<BoardTop | null> {
  const head = await readHead(database, viewer, board, target, edition);
  if (head.freeze !== null) return null;
  const kept = keptTops(database);
  const key = JSON.stringify([board, target, head.edition, rows]);
  let known = kept.get(key);
  if (known?.revision !== head.revision) {
    known = { revision: head.revision, read: readFirst(database, head, board, target, rows) };
    known.read.catch(() => kept.delete(key));
    kept.delete(key);
    kept.set(key, known);
    if (kept.size > KEPT_TOPS) kept.delete(kept.keys().next().value ?? key);
  }
  const top = await known.read;
  const isBelow = viewer !== undefined && top.entries > rows && (await standsBelow(database, viewer, head, top.board));
  return isBelow ? null : top;
}

async function readFirst(database: Database, head: Head, board: string, target: string, rows: number) {
  const [first, { rows: counts }] = await Promise.all([
    readRows(database, head, board, target, "best_entry", rows),
    sql<{ entries: number; confirmed: number }>`
        select count(*) as entries, count(*) filter (where confirmed) as confirmed
        from best_entry where problem = ${board} and target = ${target} and edition = ${head.edition}`.execute(
      database.db,
    ),
  ]);
  return { board: first, entries: 0, confirmed: 0, ...counts[0] };
}

/** Returns whether the viewer or a team of theirs has a row on a board that is not among the given rows. */
async function standsBelow(
  database: Database,
  viewer: Identity,
  head: Head,
  { board, target, rows }: Board,
): Promise<boolean> {
  const { rows: own } = await sql<{ run_id: number }>`
      select run_id from best_entry where problem = ${board} and target = ${target} and edition = ${head.edition}
        and entrant = any (array(select 'team:' || team_id from team_member
          where account_id = ${viewer.account.id} and left_at is null) || ${viewer.account.id}::text)`.execute(
    database.db,
  );
  return own.some(({ run_id }) => !rows.some((row) => row.runId === run_id));
}

/**
 * Returns a board including what a freeze hides. Not cached.
 * @throws KernelBotError `not_found` if there is no such board for the viewer; `forbidden` if the viewer may not see
 * hidden entries.
 */
export async function readUnfrozen(database: Database, viewer: Viewer, board: string, target: string): Promise<Board> {
  const head = await readHead(database, viewer, board, target);
  await mustSeeThroughFreeze(database, viewer, board);
  // Read before the rows, so that a concurrent change causes a notification.
  const revision = await readWholeRevision(database, board, target);
  const whole = await readRows(database, head, board, target, "counted_entry");
  return { ...whole, revision, unfrozen: head.freeze !== null };
}

/**
 * Checks that the viewer may see what a freeze hides on the boards of a problem.
 * @throws KernelBotError `forbidden`.
 */
export async function mustSeeThroughFreeze(database: Database, viewer: Viewer, board: string): Promise<void> {
  if (await seesThroughFreeze(database, viewer, board)) return;
  throw new KernelBotError(
    "forbidden",
    `what the freeze of ${board} hides is for moderators and the organisers of its competition`,
  );
}

/** Returns a board as `readBoard` does, but null if there is no such board for the viewer. */
export async function findBoard(
  database: Database,
  viewer: Viewer,
  board: string,
  target: string,
  edition?: number,
): Promise<Board | null> {
  return readBoard(database, viewer, board, target, edition).catch((error: unknown) => {
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

async function readRows(
  { db }: Database,
  head: Head,
  board: string,
  target: string,
  view: "best_entry" | "edition_entry" | "counted_entry" = head.freeze === null ? "best_entry" : "edition_entry",
  first?: number,
): Promise<Board> {
  const { version, spec, revision, edition, current, freeze } = head;
  const rows = await db
    // The statement uses only columns that all three views have; the edition is compared in SQL.
    .selectFrom(`${view as "counted_entry"} as e`)
    .innerJoin("account", "account.id", "e.account_id")
    .innerJoin("submission", "submission.id", "e.submission_id")
    .leftJoin("team", "team.id", "e.team_id")
    // Boards can have 10 000 rows, so every column costs time.
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
    // Hidden entries only exist in the current revision of the board.
    .where(view === "counted_entry" ? sql<boolean>`true` : sql<boolean>`e.edition = ${edition}`)
    .$if(first !== undefined, (query) => query.limit(first ?? 0))
    .orderBy("e.time_ns")
    .orderBy("e.entry_run_id")
    .execute();
  return {
    board,
    target,
    problemVersion: version,
    edition,
    currentEdition: current,
    rankingBy: spec.rankingBy,
    revision,
    cases: casesFor(spec, target).benchmarks.map(caseLine),
    rows: rankEntries(
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
    freeze,
    unfrozen: false,
  };
}

type Head = Awaited<ReturnType<typeof readHead>>;

/**
 * Returns the problem version, revision (`edition`), change counter (`revision`) and freeze of a board. Default: its
 * current revision.
 * @throws KernelBotError `not_found` if there is no such board for the viewer.
 */
export async function readHead(
  { db }: Database,
  viewer: Viewer,
  board: string,
  target: string,
  edition: number | null = null,
) {
  const head = await db
    .selectFrom("board")
    .innerJoin("problem", "problem.name", "board.problem")
    .innerJoin("board_edition as e", (join) =>
      join.onRef("e.problem", "=", "board.problem").onRef("e.target", "=", "board.target"),
    )
    .innerJoin("problem_version", "problem_version.hash", "e.problem_version")
    .innerJoin("problem_window as w", "w.problem", "problem.name")
    .leftJoin("board_revision as r", (join) =>
      join.onRef("r.problem", "=", "board.problem").onRef("r.target", "=", "board.target"),
    )
    .select(["e.problem_version as version", "e.edition", "board.edition as current", "problem_version.spec"])
    .select(sql<number>`coalesce(r.revision, 0)`.as("revision"))
    .select(["w.frozen", "w.freezes_at", "w.reveals_at"])
    .where("board.problem", "=", board)
    .where("board.target", "=", target)
    .where(reachable(viewer, "problem.competition"))
    .$if(edition !== null, (query) => query.where("e.edition", "=", edition))
    .orderBy(sql`(e.edition = board.edition)`, "desc")
    .orderBy(sql`(e.problem_version = board.version)`, "desc")
    .orderBy("e.created_at", "desc")
    .limit(1)
    .executeTakeFirst();
  if (head !== undefined) return { ...head, freeze: freezeOf(head) };
  if (edition !== null) {
    const what = `there is no edition ${edition} of a board ${quote(board)} on the target ${quote(target)}`;
    throw new KernelBotError("not_found", what);
  }
  throw new KernelBotError("not_found", `there is no board ${quote(board)} on the target ${quote(target)}`);
}

type FreezeColumns = Pick<Tables["problem_window"], "frozen" | "freezes_at" | "reveals_at">;

/** Returns since when and until when a board is frozen; null if it is not frozen now. */
export function freezeOf({ frozen, freezes_at, reveals_at }: FreezeColumns): Freeze | null {
  if (!frozen || freezes_at === null || reveals_at === null) return null;
  return { since: freezes_at.toISOString(), until: reveals_at.toISOString() };
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
