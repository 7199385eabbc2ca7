/**
 * Reads the ranked rows of a board from the view `unfrozen_revision_entry` or `revision_entry`. While a board is frozen, authorised
 * viewers can also read it from `unfrozen_board_entry`.
 */
import { sql } from "kysely";
import {
  caseLine,
  casesFor,
  inUseSummary,
  rankEntries,
  rankingOf,
  weightsFor,
  type Board,
  type BoardRow,
} from "@kernelbot/core";
import { pseudonym, shownAccount } from "../competitions/pseudonyms.ts";
import { TEAM_MEMBERS } from "../competitions/teams.ts";
import type { Database } from "../db/database.ts";
import { rankedByOfRow } from "../db/ranked-columns.ts";

import type { Tables } from "../db/tables.ts";
import type { BoardHead } from "./board-version.ts";

/** Returns a board with its rows, best first. @param first Maximum number of rows; undefined for all. */
export async function readRows(
  { db }: Database,
  head: BoardHead,
  board: string,
  target: string,
  view: "unfrozen_revision_entry" | "revision_entry" | "unfrozen_board_entry" = head.freeze === null
    ? "unfrozen_revision_entry"
    : "revision_entry",
  first?: number,
): Promise<Board> {
  const { version, spec, gate, changeNumber, revision, current, freeze, pseudonymKey } = head;
  const rows = await db
    // The statement uses only columns that all three views have; the revision is compared in SQL.
    .selectFrom(`${view as "unfrozen_board_entry"} as e`)
    .innerJoin("account", "account.id", "e.account_id")
    .innerJoin("submission", "submission.id", "e.submission_id")
    .leftJoin("team", "team.id", "e.team_id")
    // Boards can have 10 000 rows, so every column costs time.
    .select(["e.account_id", "e.team_id", "e.submission_id", "e.run_id", "e.unsandboxed", "e.confirmed"])
    .select(["e.time_ns", "e.time_low_ns", "e.time_high_ns", "e.speedup", "e.speedup_low", "e.speedup_high"])
    .select(["e.case_times_ns", "e.speed_of_light_share"])
    .select(["e.ranked_by", "e.ranked_value", "e.ranked_low", "e.ranked_high", "e.noisy"])
    .select(
      sql<number[] | null>`case when e.run_id <> e.entry_run_id
          then array[e.entry_run_id, e.entry_time_ns, e.entry_time_low_ns, e.entry_time_high_ns] end`.as("entered_by"),
    )
    .select(["account.name", "submission.file_name", "submission.created_at"])
    .select(pseudonym(sql.ref("e.account_id"), pseudonymKey).as("shown_as"))
    .select(["submission.author_kind", "submission.model", "submission.entered_by as late_entry_by"])
    .$if(gate !== null && gate !== "none", (query) =>
      query
        .leftJoin("application_result as a", (join) =>
          join
            .onRef("a.code_hash", "=", "submission.code_hash")
            .on("a.language", "=", sql`language_of(submission.file_name)`)
            .on("a.problem_version", "=", version)
            .on("a.target", "=", target),
        )
        .select("a.validation"),
    )
    .select(["team.name as team_name", TEAM_MEMBERS.as("members")])
    // Of the problems that can be judged here, only those with a harness of their own have imported runs.
    .select(
      spec.harness === "legacy"
        ? sql<boolean>`(select imported from run where run.id = e.run_id)`.as("imported")
        : sql<boolean>`${spec.harness === "imported"}::boolean`.as("imported"),
    )
    .where("e.problem", "=", board)
    .where("e.target", "=", target)
    // Hidden entries only exist in the current revision of the board.
    .where(view === "unfrozen_board_entry" ? sql<boolean>`true` : sql<boolean>`e.revision = ${revision}`)
    .$if(first !== undefined, (query) => query.limit(first ?? 0))
    .orderBy("e.rank_key")
    .orderBy("e.entry_run_id")
    .execute();
  return {
    board,
    target,
    problemVersion: version,
    revision,
    currentRevision: current,
    rankingBy: spec.rankingBy,
    ranking: rankingOf(spec, target),
    weights: weightsFor(spec, target) ?? null,
    regime: spec.regime,
    applicationGate: gate,
    changeNumber,
    cases: casesFor(spec, target).benchmarks.map(caseLine),
    rows: rankEntries(
      rows.map((row) => ({
        account: shownAccount({ id: row.account_id, name: row.name }, row.shown_as),
        team:
          row.team_id === null || row.team_name === null
            ? null
            : { id: row.team_id, name: row.team_name, members: row.members },
        submissionId: row.submission_id,
        runId: row.run_id,
        verification: row.confirmed ? "confirmed" : "provisional",
        enteredBy: enteredBy(row.entered_by),
        fileName: row.file_name,
        timeNs: { value: row.time_ns, low: row.time_low_ns, high: row.time_high_ns },
        speedup: speedupOf(row),
        ...rankedByOfRow(row),
        caseTimesNs: row.case_times_ns ?? [],
        speedOfLightShare: row.speed_of_light_share,
        inUse: row.validation ? inUseSummary(row.validation) : null,
        submittedAt: row.created_at.toISOString(),
        author: { kind: row.author_kind, model: row.model },
        unsandboxed: row.unsandboxed,
        legacyHarness: spec.harness === "legacy",
        imported: row.imported,
        ...(row.late_entry_by !== null && { lateEntry: true as const }),
        ...(row.noisy && { noisy: true as const }),
      })),
    ),
    freeze,
    unfrozen: false,
  };
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
