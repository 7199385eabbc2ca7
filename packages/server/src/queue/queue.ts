/** Summary of the queue of each target: queued and running runs, runners, and statistics of the last 24 hours. */
import { sql } from "kysely";
import {
  compareTargets,
  ENOUGH_RUNS,
  machineName,
  MODES,
  type Machine,
  type Mode,
  type ModeHistory,
  type Queue,
  type QueueHour,
  type QueueTarget,
} from "@kernelbot/core";
import { listed, type Viewer } from "../auth/visibility.ts";
import { coalesce } from "../db/coalesce.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import { readAvailabilities } from "./availability.ts";
import { getQueueOrder } from "./order.ts";
import { CAN_CLAIM } from "../runners/presence.ts";

const HOUR_MS = 3_600_000;
const HOURS = 24;
/** Bounds of the runs that a median duration covers: number of runs, and age in days. */
const MEDIAN_OF = 50;
const MEDIAN_DAYS = 7;
/** Statistics of a day with more than `BUSY_DAY` runs are kept for this long: reading them takes hundreds of milliseconds. */
const BUSY_DAY = 1000;
const BUSY_DAY_MS = 30_000;

/**
 * Restricts a result of `readQueue` to the targets of boards that the viewer can list. The number of queued runs
 * includes runs of closed competitions: queue positions reveal this number anyway. Accounts and problems of queued runs
 * are visible to administrators only.
 */
export async function queueFor({ db }: Database, viewer: Viewer, queue: Queue): Promise<Queue> {
  const rows = await db
    .selectFrom("board")
    .innerJoin("problem", "problem.name", "board.problem")
    .select("board.target")
    .distinct()
    // Suites are visible to every viewer, although their boards are not listed.
    .where(sql<boolean>`(problem.suite is not null or ${listed(viewer, "problem.competition")})`)
    .execute();
  const visible = new Set(rows.map(({ target }) => target));
  return { ...queue, targets: queue.targets.filter(({ target }) => visible.has(target)) };
}

/** Reads the queues of all targets that have a board. */
export async function readQueue(database: Database): Promise<Queue> {
  const now = new Date();
  const [targets, runners, availabilities, open, histories, hours] = await Promise.all([
    listTargets(database),
    runnersOf(database),
    readAvailabilities(database),
    openRuns(database),
    medians(database),
    lastDayOf(database)("all"),
  ]);
  const orders = new Map(
    await Promise.all(targets.map(async (target) => [target, await getQueueOrder(database, target)] as const)),
  );
  return {
    at: now.toISOString(),
    targets: targets.map((target): QueueTarget => {
      const own = <Row extends { target: string }>(rows: readonly Row[]) => rows.filter((row) => row.target === target);
      const there = own(runners).filter(({ isOnline }) => isOnline);
      const waiting = own(open).filter(({ state }) => state === "queued");
      const running = own(open).filter(({ state }) => state === "running");
      const modes = MODES.flatMap((mode) => modeHistory(mode, waiting, own(histories)));
      const models = Map.groupBy(there, ({ machine }) => machineName(machine));
      return {
        target,
        status: availabilities(target).status,
        runners: Array.from(models, ([model, { length }]) => ({ model, count: length })),
        lastRunnerAt: latest(own(runners).map(({ seen_at }) => seen_at)),
        waiting: sum(waiting),
        running: sum(running),
        oldestAt: waiting[0] === undefined ? null : earliest(waiting.map(({ oldest }) => oldest)),
        expectedWaitMs: orders.get(target)?.newcomer ?? null,
        modes,
        hours: hoursUntil(now, own(hours)),
      };
    }),
  };
}

function modeHistory(
  mode: Mode,
  waiting: readonly { mode: Mode; count: number }[],
  histories: readonly MedianRow[],
): ModeHistory[] {
  const { runs = 0, median_ms = null } = histories.find((row) => row.mode === mode) ?? {};
  const count = sum(waiting.filter((row) => row.mode === mode));
  if (runs === 0 && count === 0) return [];
  return [{ mode, waiting: count, runs, medianMs: runs < ENOUGH_RUNS ? null : median_ms }];
}

/** Returns one entry for each of the last 24 hours, including hours in which no run ended. */
function hoursUntil(now: Date, rows: readonly HourRow[]): QueueHour[] {
  const current = Math.floor(now.getTime() / HOUR_MS);
  return Array.from({ length: HOURS }, (_, index) => {
    const at = new Date((current - HOURS + 1 + index) * HOUR_MS);
    const row = rows.find((each) => each.at.getTime() === at.getTime());
    return {
      at: at.toISOString(),
      runs: row?.runs ?? 0,
      medianWaitMs: row?.wait_ms ?? null,
      infraErrors: row?.infra_errors ?? 0,
    };
  });
}

/** Returns the targets of all boards. */
export async function listTargets({ db }: Database): Promise<string[]> {
  const rows = await db.selectFrom("board").select("target").distinct().execute();
  return rows.map(({ target }) => target).toSorted(compareTargets);
}

/**
 * Lists the runners. `isOnline` is true if a runner is online and can claim runs: its token is valid and it is neither
 * paused nor draining.
 */
async function runnersOf({
  db,
}: Database): Promise<{ target: string; seen_at: Date; machine: Machine; isOnline: boolean }[]> {
  return db
    .selectFrom("runner")
    .innerJoin("machine", "machine.hash", "runner.machine_hash")
    .innerJoin("token", "token.id", "runner.token_id")
    .select(["runner.target", "runner.seen_at", "machine.description as machine"])
    .select(sql<boolean>`token.revoked_at is null and ${CAN_CLAIM}`.as("isOnline"))
    .orderBy("runner.name")
    .execute();
}

interface OpenRow {
  target: string;
  mode: Mode;
  state: "queued" | "running";
  count: number;
  oldest: Date;
}

/** Counts queued and running runs of submissions by target and mode. Evaluations do not delay them. */
async function openRuns({ db }: Database): Promise<OpenRow[]> {
  const { rows } = await sql<OpenRow>`
    select target, mode, state, count(*)::integer as count, min(created_at) as oldest
      from run where state = 'queued' and priority = 0 group by target, mode, state
    union all
    select target, mode, state, count(*)::integer, min(created_at)
      from run where state = 'running' and priority = 0 group by target, mode, state`.execute(db);
  return rows;
}

interface MedianRow {
  target: string;
  mode: Mode;
  runs: number;
  median_ms: number | null;
}

async function medians({ db }: Database): Promise<MedianRow[]> {
  const { rows } = await sql<MedianRow>`
    select t.target, m.mode, recent.runs, recent.median_ms
    from (select distinct target from board) t
    cross join unnest(${[...MODES]}::text[]) as m (mode)
    cross join lateral (
      select count(*)::integer as runs, percentile_cont(0.5) within group (order by ms) as median_ms
      from (
        select 1000 * extract(epoch from finished_at - started_at)::float8 as ms from run
        where state = 'done' and target = t.target and mode = m.mode and verdict <> 'infra_error' and priority = 0
          and finished_at > now() - ${MEDIAN_DAYS}::integer * interval '1 day'
        order by finished_at desc limit ${MEDIAN_OF}
      ) as ended
    ) as recent`.execute(db);
  return rows;
}

interface HourRow {
  target: string;
  at: Date;
  runs: number;
  wait_ms: number | null;
  infra_errors: number;
}

const lastDayOf = perDatabase((database) =>
  coalesce(
    (_: "all") => lastDay(database),
    undefined,
    (hours) => (hours.reduce((total, { runs }) => total + runs, 0) > BUSY_DAY ? BUSY_DAY_MS : 0),
  ),
);

/**
 * Reads statistics of the runs that ended in the last 24 hours, by hour. The wait excludes re-runs, which are delayed
 * on purpose.
 */
async function lastDay({ db }: Database): Promise<HourRow[]> {
  const { rows } = await sql<HourRow>`
    select run.target, date_trunc('hour', run.finished_at) as at, count(*)::integer as runs,
      percentile_cont(0.5) within group (order by 1000 * extract(epoch from run.started_at - run.created_at)::float8)
        filter (where run.rerun = 0) as wait_ms,
      count(*) filter (where run.verdict = 'infra_error')::integer as infra_errors
    from (select distinct target from board) t
    join run on run.state = 'done' and run.target = t.target and run.mode = any(${[...MODES]}::text[]) and run.priority = 0
      and run.finished_at >= date_trunc('hour', now()) - ${HOURS - 1}::integer * interval '1 hour'
    group by 1, 2`.execute(db);
  return rows;
}

function sum(rows: readonly { count: number }[]): number {
  return rows.reduce((total, { count }) => total + count, 0);
}

function latest(dates: readonly Date[]): string | null {
  return dates.length === 0 ? null : new Date(Math.max(...dates.map(Number))).toISOString();
}

function earliest(dates: readonly Date[]): string {
  return new Date(Math.min(...dates.map(Number))).toISOString();
}
