/** Statistics for administrators. */
import { sql } from "kysely";
import { byTarget } from "@kernelbot/core";
import type { Database } from "../db/database.ts";

interface TargetRow {
  target: string;
  runs: number;
  passed: number;
  scored: number;
  waiting: number;
  max_delay_s: number | null;
  avg_delay_s: number | null;
  total_s: number;
}

/**
 * Counts submissions, accounts and runs. For each target also returns the delays and the total run time as ISO 8601
 * durations.
 */
export async function statistics(
  { db }: Database,
  { board, lastDay }: { board: string | null; lastDay: boolean },
): Promise<Record<string, number | string>> {
  const isCounted = sql`not s.is_evaluation and (${board}::text is null or s.problem = ${board})
    and (not ${lastDay} or s.created_at > clock_timestamp() - interval '1 day')`;
  const [all, targets] = await Promise.all([
    sql<{ submissions: number; people: number; codes: number }>`
        select count(*)::integer as submissions, count(distinct account_id)::integer as people,
          count(distinct code_hash)::integer as codes
        from submission s where ${isCounted}`.execute(db),
    sql<TargetRow>`
        select target, count(*)::integer as runs,
          count(*) filter (where verdict = 'passed')::integer as passed,
          count(*) filter (where time_ns is not null)::integer as scored,
          count(*) filter (where state = 'queued')::integer as waiting,
          max(extract(epoch from run.started_at - run.created_at))::float8 as max_delay_s,
          avg(extract(epoch from run.started_at - run.created_at))::float8 as avg_delay_s,
          coalesce(sum(extract(epoch from run.finished_at - run.started_at)), 0)::float8 as total_s
        from run join submission s on s.id = run.submission_id where ${isCounted}
        group by target`.execute(db),
  ]);
  const { submissions = 0, people = 0, codes = 0 } = all.rows[0] ?? {};
  return {
    num_submissions: submissions,
    sub_waiting: targets.rows.reduce((sum, { waiting }) => sum + waiting, 0),
    num_users: people,
    num_unique_codes: codes,
    ...Object.fromEntries<number | string>(
      targets.rows.toSorted(byTarget).flatMap((row): [string, number | string][] => [
        [`num_run.${row.target}`, row.runs],
        [`runs_passed.${row.target}`, row.passed],
        [`runs_scored.${row.target}`, row.scored],
        [`max_delay.${row.target}`, duration(row.max_delay_s ?? 0)],
        [`avg_delay.${row.target}`, duration(row.avg_delay_s ?? 0)],
        [`total_runtime.${row.target}`, duration(row.total_s)],
      ]),
    ),
  };
}

/** Returns the ids of a board's submissions, the newest first. */
export async function submissionIds(
  { db }: Database,
  board: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom("submission")
    .select("id")
    .where("problem", "=", board)
    .where("is_evaluation", "=", false)
    .orderBy("id", "desc")
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(({ id }) => id);
}

/** Formats seconds as an ISO 8601 duration: `PT1.04S`. */
function duration(seconds: number): string {
  return `PT${Number(seconds.toFixed(3))}S`;
}
