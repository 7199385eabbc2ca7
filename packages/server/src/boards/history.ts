/** The history of a board's times, from the table `ranking`, from which the board itself is computed. */
import { sql, type RawBuilder } from "kysely";
import { entrantOf, type AuthorKind, type BoardHistory, type EntrantHistory } from "@kernelbot/core";
import type { Viewer } from "../auth/visibility.ts";
import { pseudonym, shownAccount } from "../competitions/pseudonyms.ts";
import type { Database } from "../db/database.ts";
import { rankedByOfRow, type RankedColumns } from "../db/ranked-columns.ts";
import { readHead } from "./board-version.ts";

/** Maximum number of an entrant's runs without improvement that are returned; the latest are kept. */
const LATEST = 500;

/**
 * Returns the records of a board, and the histories of the given entrants.
 * @param entrants As in core's `entrantOf`. Entrants without a run on the board are left out.
 * @param unfrozen Whether to include what a freeze hides. The caller must have checked that the viewer may see it.
 * @throws KernelBotError `not_found` if there is no such board for the viewer.
 */
export async function readHistory(
  database: Database,
  viewer: Viewer,
  board: string,
  target: string,
  entrants: readonly string[],
  { unfrozen = false } = {},
): Promise<BoardHistory> {
  const { version, revision, changeNumber, freeze, pseudonymKey } = await readHead(database, viewer, board, target);
  const hiddenFrom = unfrozen ? null : (freeze?.since ?? null);
  const course = sql<boolean>`(problem = ${board} and target = ${target} and revision = ${revision}
    and not noisy and created_at < coalesce(${hiddenFrom}::text::timestamptz, 'infinity'))`;
  const [records, theirs] = await Promise.all([
    readPoints(database, recordsOf(course), pseudonymKey),
    entrants.length === 0 ? [] : readPoints(database, pointsOf(course, entrants, pseudonymKey), pseudonymKey),
  ]);
  return {
    board,
    target,
    problemVersion: version,
    changeNumber,
    freeze,
    records: records.map(({ bestNs: _, ...point }) => point),
    entrants: [...new Set(entrants)].flatMap((id) => historyOf(theirs, id) ?? []),
  };
}

type Point = EntrantHistory["points"][number];

function historyOf(all: readonly Point[], id: string): EntrantHistory | null {
  const points = all.filter((point) => entrantOf(point).id === id);
  const latest = points.at(-1);
  return latest === undefined ? null : { entrant: entrantOf(latest), points };
}

/**
 * SQL: the runs that were better than all runs before them. Recursive: each record is found from the one before it, so
 * that the board is read once, from the index only.
 */
function recordsOf(course: RawBuilder<boolean>): RawBuilder<unknown> {
  const next = sql`select entry_run_id, created_at, time_ns, rank_key from ranking where ${course}`;
  return sql`record as (
      (${next} order by created_at, entry_run_id limit 1)
      union all
      select faster.* from record cross join lateral (
        ${next} and (ranking.created_at, ranking.entry_run_id) > (record.created_at, record.entry_run_id)
          and ranking.rank_key < record.rank_key
        order by created_at, entry_run_id limit 1
      ) faster
    ), shown as (select entry_run_id, time_ns as best_ns from record)`;
}

/** SQL: the runs of these entrants that improved their best result, and the latest of their other runs. */
function pointsOf(
  course: RawBuilder<boolean>,
  entrants: readonly string[],
  pseudonymKey: Buffer | null,
): RawBuilder<unknown> {
  const entrant = pseudonymKey === null ? sql`entrant` : pseudonym(sql`account_id`, pseudonymKey);
  return sql`point as (
      select entry_run_id, rank_key, (min(array[rank_key, time_ns]) over (line_until_now))[2] as best_ns,
        min(rank_key) over (line_until_now rows between unbounded preceding and 1 preceding) as best_key_before,
        count(*) over (line_until_now rows between 1 following and unbounded following) as later
      from ranking where ${course} and ${entrant} = any(${[...entrants]}::text[])
      window line_until_now as (partition by entrant order by created_at, entry_run_id)
    ), shown as (
      select entry_run_id, best_ns from point
      where best_key_before is null or rank_key < best_key_before or later < ${LATEST}::integer
    )`;
}

/** Reads the selected runs in order of submission time. */
async function readPoints({ db }: Database, shown: RawBuilder<unknown>, pseudonymKey: Buffer | null): Promise<Point[]> {
  const { rows } = await sql<Row>`
      with recursive ${shown}
      select p.submission_id, p.run_id, p.confirmed, p.time_ns, p.time_low_ns, p.time_high_ns, shown.best_ns, p.created_at,
        p.ranked_by, p.ranked_value, p.ranked_low, p.ranked_high,
        p.account_id, account.name, ${pseudonym(sql`p.account_id`, pseudonymKey)} as shown_as, p.team_id, team.name as team_name, submission.author_kind, submission.model
      from shown
      join ranking p using (entry_run_id)
      join account on account.id = p.account_id
      join submission on submission.id = p.submission_id
      left join team on team.id = p.team_id
      order by p.created_at, p.entry_run_id
    `.execute(db);
  return rows.map((row) => ({
    submissionId: row.submission_id,
    runId: row.run_id,
    verification: row.confirmed ? "confirmed" : "provisional",
    account: shownAccount({ id: row.account_id, name: row.name }, row.shown_as),
    team: row.team_id === null || row.team_name === null ? null : { id: row.team_id, name: row.team_name },
    author: { kind: row.author_kind, model: row.model },
    submittedAt: row.created_at.toISOString(),
    timeNs: { value: row.time_ns, low: row.time_low_ns, high: row.time_high_ns },
    ...rankedByOfRow(row),
    bestNs: row.best_ns,
  }));
}

interface Row extends RankedColumns {
  submission_id: number;
  run_id: number;
  confirmed: boolean;
  time_ns: number;
  time_low_ns: number;
  time_high_ns: number;
  best_ns: number;
  created_at: Date;
  account_id: string;
  name: string;
  shown_as: string | null;
  team_id: number | null;
  team_name: string | null;
  author_kind: AuthorKind;
  model: string | null;
}
