/** Moves stored timestamps into the past, because production code has no injectable clock. */
import { sql } from "kysely";
import type { Database } from "@kernelbot/server/src/db/database.ts";

/** Times of a submission's runs. */
interface Moments {
  submissionId: number;
  submittedAt: Date;
  /** Time from the claim to the verdict. */
  tookMs: number;
  waitedMs: number;
}

/**
 * Sets the times of submissions, their runs and their events. Events are spread evenly between the claim and the
 * verdict.
 */
export async function moveSubmissions({ db }: Database, moments: readonly Moments[]): Promise<void> {
  const rows = JSON.stringify(
    moments.map(({ submissionId, submittedAt, waitedMs, tookMs }) => ({
      id: submissionId,
      at: submittedAt.toISOString(),
      started: new Date(submittedAt.getTime() + waitedMs).toISOString(),
      took: tookMs / 1000,
    })),
  );
  const plan = sql`json_to_recordset(${rows}::text::json) as plan (id bigint, at timestamptz, started timestamptz, took float)`;
  await db.transaction().execute(async (transaction) => {
    await sql`update submission s set created_at = plan.at from ${plan} where s.id = plan.id`.execute(transaction);
    await sql`
      update event e set at = case when e.event ->> 'type' in ('submission_accepted', 'run_queued') then plan.at
        else plan.started + make_interval(secs => plan.took * e.id / greatest(1, s.last_event)) end
      from ${plan} join submission s on s.id = plan.id where e.submission_id = plan.id`.execute(transaction);
    await sql`
      update run r set created_at = plan.at,
        started_at = case when r.started_at is not null then plan.started end,
        finished_at = case when r.finished_at is not null then plan.started + make_interval(secs => plan.took) end
      from ${plan} where r.submission_id = plan.id`.execute(transaction);
  });
}

/** Runs an action as if at a time in the past: all timestamps that it stores are moved there. */
export async function during<T>({ db }: Database, moment: Date, act: () => Promise<T>): Promise<T> {
  const clock = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const since = (clock.rows[0] as { now: Date }).now.toISOString();
  const result = await act();
  await db.transaction().execute(async (transaction) => {
    // Disables the triggers that make the audit log immutable.
    await sql`select set_config('session_replication_role', 'replica', true)`.execute(transaction);
    for (const [table, column] of MOVED) {
      await sql`
        update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - (${since}::timestamptz - ${moment.toISOString()}::timestamptz)
        where ${sql.ref(column)} >= ${since}::timestamptz`.execute(transaction);
    }
  });
  return result;
}

const MOVED: readonly (readonly [table: string, column: string])[] = [
  ["account", "created_at"],
  ["account", "banned_at"],
  ["audit", "at"],
  ["competition", "created_at"],
  ["decision", "at"],
  ["decision", "appealed_at"],
  ["evaluation", "created_at"],
  ["evaluation", "ended_at"],
  ["evaluation_session", "created_at"],
  ["evaluation_session_note", "created_at"],
  ["event", "at"],
  ["flag", "at"],
  ["invite", "created_at"],
  ["invite", "claimed_at"],
  ["invite", "revoked_at"],
  ["kernelbench_entry", "created_at"],
  ["kernelbench_entry", "published_at"],
  ["kernelbench_suite_version", "created_at"],
  ["run", "created_at"],
  ["run", "started_at"],
  ["run", "finished_at"],
  ["submission", "created_at"],
  ["submission", "removed_at"],
  ["team", "created_at"],
  ["team_member", "joined_at"],
  ["team_member", "left_at"],
  ["token", "created_at"],
];
