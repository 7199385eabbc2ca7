/** Checks the invariants in the database at the end. Returns a sentence per violation. */
import type { Database } from "../../packages/server/src/db/database.ts";

export async function faultsOf({ sql }: Database, runs: number): Promise<string[]> {
  const [row] = await sql<Record<string, number>>`
    with log as (
      -- A claim of which the runner never heard, since it hung up, is no attempt.
      select run_id, count(*) filter (where event ->> 'type' = 'run_started') - count(*) filter (
          where event ->> 'type' = 'run_queued' and event ->> 'reason' like 'the runner disconnected%') as started,
        count(*) filter (where event ->> 'type' = 'run_finished') as finished,
        max(attempt) filter (where event ->> 'type' = 'run_finished') as finished_attempt,
        max(attempt) filter (where event ->> 'type' = 'run_started') as last_attempt
      from event where run_id is not null group by run_id
    ), gaps as (
      select submission_id from event group by submission_id having count(*) <> max(id)
    )
    select count(*) as "runs", count(*) filter (where run.state <> 'done') as "not done",
      count(*) filter (where run.verdict is distinct from 'passed') as "without the verdict that was reported",
      count(*) filter (where log.finished is distinct from 1) as "with another number of ends than one in the log",
      count(*) filter (where log.started <> run.attempt or log.last_attempt <> run.attempt) as "whose attempts are not those of the log",
      count(*) filter (where log.finished_attempt <> run.attempt or (run.mode <> 'ranked'
        and run.message <> run.runner || ' ' || run.attempt)) as "with a verdict of another attempt than the last",
      count(*) filter (where run.token_id is null or run.lease_until is not null) as "held still",
      (select count(*) from gaps) as "submissions whose log has gaps"
    from run left join log on log.run_id = run.id`;
  const { runs: found = 0, ...faults } = row ?? {};
  const listed = Object.entries(faults).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]));
  return found === runs ? listed : [`${found} runs, and not ${runs}`, ...listed];
}

/** Single submission of one run, and when the response with its acceptance arrived. */
export interface Visit {
  submission: number;
  answeredAt: Date;
}

/**
 * Returns, for each single run, how many runs of the flood on the same target were claimed between its acceptance and
 * its claim.
 */
export async function overtaken({ sql }: Database, flood: string, visits: readonly Visit[]): Promise<number[]> {
  const rows = await sql<{ count: number }>`
    select (select count(*) from run f where f.account_id = ${flood} and f.target = run.target
      and f.started_at > v.answered_at and f.started_at < run.started_at)::integer as count
    from run join unnest(${visits.map(({ submission }) => submission)}::bigint[],
      ${visits.map(({ answeredAt }) => answeredAt.toISOString())}::text[]::timestamptz[]) as v (submission_id, answered_at)
      using (submission_id)
    where run.attempt = 1`;
  return rows.map(({ count }) => count);
}
