/** Reads the inputs of the decision about launches from the database. */
import { sql, type Kysely } from "kysely";
import type { Tables } from "../../db/tables.ts";
import { CAN_CLAIM } from "../../runners/presence.ts";
import type { LauncherConfig } from "./config.ts";
import { periodsOf, type History } from "./decide.ts";

type Histories = (launcher: string, target: string) => History;

/**
 * Returns per target the number of queued runs, less idle runners and launches whose runner has not joined yet. May be
 * negative.
 */
export async function readNeeded(db: Kysely<Tables>, targets: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ target: string; needed: number }>`
    select target,
      (select count(*) from run where run.state = 'queued' and run.target = t.target)
      - (select count(*) from runner join token on token.id = runner.token_id
          where runner.target = t.target and token.revoked_at is null and ${CAN_CLAIM}
            and not exists (select from run where run.state = 'running' and run.token_id = runner.token_id
              and run.target = runner.target and run.runner = runner.name))
      - (select count(*) from launch where launch.target = t.target and launch.state in ('starting', 'launched')) as needed
    from unnest(${[...new Set(targets)]}::text[]) as t (target)`.execute(db);
  return new Map(rows.map(({ target, needed }) => [target, needed]));
}

/**
 * Returns the history of each launcher and target. Open launches count with the cost of their remaining time; launches
 * that the service never accepted cost nothing.
 */
export async function readHistories(
  db: Kysely<Tables>,
  launchers: readonly LauncherConfig[],
  now: Date,
): Promise<Histories> {
  const { day, month } = periodsOf(now);
  const hours = ({ start, end }: { start: Date; end: Date }) => sql<number>`
    coalesce(sum(rate_per_hour * greatest(0, extract(epoch from
      least(coalesce(ended_at, greatest(ends_by, ${now}::timestamptz)), ${end}::timestamptz)
      - greatest(coalesce(launched_at, case when ended_at is null then created_at else ended_at end), ${start}::timestamptz)
    )::float8) / 3600), 0)`;
  const { rows } = await sql<HistoryRow>`
    select pair.launcher, pair.target, used.*, decided.*
    from unnest(${launchers.flatMap(({ name, targets }) => [...targets.keys()].map(() => name))}::text[],
      ${launchers.flatMap(({ targets }) => [...targets.keys()])}::text[]) as pair (launcher, target)
    cross join lateral (
      select count(*) filter (where ended_at is null)::integer as open, max(created_at) as last_at,
        count(*) filter (where state in ('starting', 'launched'))::integer as coming,
        ${hours(day)} as today, ${hours(month)} as this_month
      from launch where launch.launcher = pair.launcher and launch.target = pair.target
        and (ended_at is null or ended_at >= ${month.start}::timestamptz - interval '1 day')
    ) as used
    left join lateral (
      select state, failures, retry_at, error from launch
      where launch.launcher = pair.launcher and launch.target = pair.target and state in ('joined', 'ended', 'failed')
      order by coalesce(joined_at, ended_at) desc, id desc limit 1
    ) as decided on true`.execute(db);
  const byKey = new Map(rows.map((row) => [`${row.launcher} ${row.target}`, historyOf(row)]));
  return (launcher, target) => {
    const history = byKey.get(`${launcher} ${target}`);
    if (history === undefined) throw new Error(`no history was read for launcher ${launcher} and target ${target}`);
    return history;
  };
}

interface HistoryRow {
  launcher: string;
  target: string;
  open: number;
  coming: number;
  last_at: Date | null;
  today: number;
  this_month: number;
  state: string | null;
  failures: number | null;
  retry_at: Date | null;
  error: string | null;
}

function historyOf(row: HistoryRow): History {
  const { state, failures, retry_at: retryAt, error } = row;
  const failed = state === "failed" && failures !== null && retryAt !== null && error !== null;
  return {
    open: row.open,
    coming: row.coming,
    lastAt: row.last_at,
    trouble: failed ? { failures, retryAt, error } : null,
    spentToday: row.today,
    spentThisMonth: row.this_month,
  };
}
