/** How the times of a board came down, from the view `ranked_run` that the board itself is read from. */
import { sql } from "kysely";
import { entrantOf, type AuthorKind, type BoardHistory, type EntrantHistory } from "@kernelbot/core";
import type { Viewer } from "../competitions/access.ts";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";
import { readHead } from "./boards.ts";

/** `counted_run` has what a freeze hides too: for who has been shown a board that has it. */
type View = "ranked_run" | "counted_run";

/** So many of what an entrant did not better itself by are told of, the latest. */
const LATEST = 500;

/**
 * The records of a board, and what these entrants have on it.
 * @param entrants As in core's `entrantOf`; those that have nothing there are left out.
 * @throws KernelBotError `not_found` where there is no such board for this viewer.
 */
export async function readHistory(
  database: Database,
  viewer: Viewer,
  board: string,
  target: string,
  entrants: readonly string[],
  view: View = "ranked_run",
): Promise<BoardHistory> {
  const { version, revision, freeze } = await readHead(database, viewer, board, target);
  const [records, theirs] = await Promise.all([
    readRecords(database, board, target, view),
    entrants.length === 0 ? [] : readPoints(database, board, target, entrants, view),
  ]);
  return {
    board,
    target,
    problemVersion: version,
    revision,
    freeze,
    records,
    entrants: [...new Set(entrants)].flatMap((id) => historyOf(theirs, id) ?? []),
  };
}

type Point = EntrantHistory["points"][number];

function historyOf(all: readonly Point[], id: string): EntrantHistory | null {
  const points = all.filter((point) => entrantOf(point).id === id);
  const latest = points.at(-1);
  return latest === undefined ? null : { entrant: entrantOf(latest), points };
}

async function readRecords(
  database: Database,
  board: string,
  target: string,
  view: View,
): Promise<BoardHistory["records"]> {
  return (await readPoints(database, board, target, null, view)).map(({ bestNs: _, ...point }) => point);
}

/** In the order of time: what bettered the entrant's best and the latest of the rest; or what bettered that of all. */
async function readPoints(
  { db }: Database,
  board: string,
  target: string,
  entrants: readonly string[] | null,
  view: View,
): Promise<Point[]> {
  const { rows } = await retrying(() =>
    sql<Row>`
      with point as (
        select entry_run_id, time_ns, min(time_ns) over (line_until_now) as best_ns,
          min(time_ns) over (line_until_now rows between unbounded preceding and 1 preceding) as best_before_ns,
          count(*) over (line_until_now rows between 1 following and unbounded following) as later
        from ${sql.table(view)}
        where problem = ${board} and target = ${target}
          and (${entrants}::text[] is null or entrant = any(${entrants}::text[]))
        window line_until_now as (
          partition by case when ${entrants}::text[] is null then '' else entrant end order by created_at, entry_run_id)
      ), shown as materialized (
        select entry_run_id, best_ns from point
        where best_before_ns is null or time_ns < best_before_ns
          or (${entrants}::text[] is not null and later < ${LATEST}::integer)
      )
      select p.submission_id, p.run_id, p.confirmed, p.time_ns, p.time_low_ns, p.time_high_ns, shown.best_ns, p.created_at,
        p.account_id, account.name, p.team_id, team.name as team_name, submission.author_kind, submission.model
      from shown
      -- Few are shown of many that there are, each looked up by itself.
      cross join lateral (select * from ${sql.table(view)} where entry_run_id = shown.entry_run_id offset 0) p
      cross join lateral (select name from account where id = p.account_id offset 0) account
      cross join lateral (select author_kind, model from submission where id = p.submission_id offset 0) submission
      left join team on team.id = p.team_id
      order by p.created_at, p.entry_run_id
    `.execute(db),
  );
  return rows.map((row) => ({
    submissionId: row.submission_id,
    runId: row.run_id,
    standing: row.confirmed ? "confirmed" : "provisional",
    account: { id: row.account_id, name: row.name },
    team: row.team_id === null || row.team_name === null ? null : { id: row.team_id, name: row.team_name },
    author: { kind: row.author_kind, model: row.model },
    submittedAt: row.created_at.toISOString(),
    timeNs: { value: row.time_ns, low: row.time_low_ns, high: row.time_high_ns },
    bestNs: row.best_ns,
  }));
}

interface Row {
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
  team_id: number | null;
  team_name: string | null;
  author_kind: AuthorKind;
  model: string | null;
}
