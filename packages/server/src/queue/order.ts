/**
 * The order in which the runs of each target are claimed, and their expected waits: weighted start-time fair queueing
 * of accounts (P. Goyal, H. M. Vin, H. Cheng, SIGCOMM 1996). `next_run` (schema/functions/next_run.sql) claims in this
 * order and `queue_order` lists it; every queue position that is shown comes from here. Guarantees, for each target
 * separately:
 *
 * Let v be the virtual time: the largest start tag claimed so far. c is the cost of a run (`run_cost`: 1 for a test, 3
 * for a benchmark, 4 for a ranked run), w the weight of its account. An account's tag is the start tag of its next run:
 * it is set to v when the account's queue becomes non-empty (unless it is already larger), and grows by c / w with each
 * of its claimed runs. The least tag is claimed next.
 *
 * 1. An account with many queued runs does not delay others. A run of an account that has no other queued run and has
 *    had no more than its share (its tag is not above v) is claimed before any run of an account of which another run
 *    was claimed since that account's queue became non-empty. So next to a flood it is the very next and waits only for
 *    a free runner. Of other accounts without earlier queued runs, each goes before it at most once. Only interrupted
 *    runs (expired lease) and re-runs whose turn has come go first.
 * 2. Shares are even. For two accounts that both have queued runs throughout an interval, let W be the cost of the runs
 *    claimed for each: |W1 / w1 - W2 / w2| <= c1 / w1 + c2 / w2, where c is the largest cost of a run of each (theorem
 *    1).
 * 3. Neither credit nor debt lasts. An account that was idle starts at v. An account that has just had a run of cost c
 *    waits at most until v has grown by c / w: until then, other accounts of the same weight have that much claimed
 *    each, and one run more.
 * 4. Of one account's runs the cheapest goes first; of equal cost, the oldest. Of accounts with the same tag, those go
 *    first of which no run was claimed since their queue became non-empty, then the cheaper run, then the older.
 *
 * Runs of evaluations are in lanes of their own (`queue_lane`): interactive ones are claimed only when no run of a
 * submission is queued, those of training and backfill only when no interactive one is either. The guarantees hold within
 * each lane; a run of backfill costs as much as 16 of training, so neither starves the other.
 *
 * A changed weight applies from the next claim on. A run that is cancelled before it is claimed costs nothing.
 */
import { sql, type RawBuilder } from "kysely";
import {
  RunDurations,
  RUN_MODES,
  expectedWaits,
  type Estimate,
  type RunMode,
  type RunState,
  type TargetAvailability,
} from "@kernelbot/core";
import { coalesce } from "../db/coalesce.ts";
import type { QueuePosition } from "../runs/summary.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import { availabilityOf, keptMsOfQueue, readProspects, RUNNERS } from "./availability.ts";

/** Durations are estimated from at most this many runs of each mode, at most this old, in days. */
const LATEST_RUNS = 200;
const LATEST_DAYS = 7;

/**
 * How long durations are cached, in milliseconds, once `LATEST_RUNS` runs of a mode are known: one more run changes
 * little.
 */
const DURATIONS_MS = 5000;

/** Keyed by run id. */
export type QueuePositions = ReadonlyMap<number, QueuePosition>;

interface QueueOrder {
  positions: QueuePositions;
  /**
   * Expected wait of a test that is queued now by an account without other queued runs on the target; null if unknown.
   */
  newcomer: Estimate | null;
  runners: TargetAvailability;
}

/** Returns the current order of a target's runs of submissions; evaluations, of which there may be thousands, follow. */
export function getQueueOrder(database: Database, target: string): Promise<QueueOrder> {
  return queueOrderCache(database)(target);
}

/** Returns the queue positions of the given runs, as far as they are queued. */
export async function findQueuePositions(
  database: Database,
  runs: readonly { id: number; target: string; state: RunState }[],
): Promise<QueuePositions> {
  const targets = new Set(runs.filter(({ state }) => state === "queued").map(({ target }) => target));
  const orders = await Promise.all(
    Array.from(targets, async (target) => [target, await getQueueOrder(database, target)] as const),
  );
  const orderOf = new Map(orders);
  return new Map(
    runs.flatMap(({ id, target, state }) => {
      const order = orderOf.get(target);
      if (state !== "queued" || order === undefined) return [];
      // The order of a long queue is kept for a while, and then lacks runs that have just been queued.
      return [[id, order.positions.get(id) ?? { position: null, wait: null, runners: order.runners }] as const];
    }),
  );
}

const queueOrderCache = perDatabase((database) =>
  coalesce(
    (target: string) => computeQueueOrder(database, target),
    undefined,
    ({ positions }) => keptMsOfQueue(positions.size),
  ),
);

async function computeQueueOrder(database: Database, target: string): Promise<QueueOrder> {
  const [{ waiting, running, presence, durations }, prospects] = await Promise.all([
    readTarget(database, target),
    readProspects(database),
  ]);
  const runners = availabilityOf({ ...presence, queued: waiting.length }, prospects(target));
  const waits = expectedWaits({
    runners: runners.online,
    running: running.map((run) => ({ duration: durations.of(run.mode, run.problem_version), forMs: run.for_ms })),
    waiting: waiting.map((run) => durations.of(run.mode, run.problem_version)),
  });
  const ahead = waiting.findLastIndex((run) => run.is_ahead) + 1;
  return {
    positions: new Map(
      waiting.map((run, index) => [run.run_id, { position: index + 1, wait: waits[index] ?? null, runners }]),
    ),
    newcomer: waits[ahead] ?? null,
    runners,
  };
}

interface TargetRow {
  waiting: { run_id: number; mode: RunMode; problem_version: string; is_ahead: boolean }[];
  running: { mode: RunMode; problem_version: string; for_ms: number }[];
  online: number;
  isPaused: boolean;
  lastSeenAt: Date | null;
  /** Durations by mode, and by mode and problem version; null where they were not read. */
  ended: { mode: RunMode; problem_version: string | null; runs: number; mean: number; variance: number }[] | null;
}

/** Reads a target in one statement: each one wakes a process of PostgreSQL, and every poll of a queued run waits for it. */
async function readTarget(database: Database, target: string) {
  const known = findKnownDurations(database, target);
  const { rows } = await sql<TargetRow>`
    select ${arrayOf(sql`select run_id, mode, problem_version, is_ahead from queue_order(${target}, 0::smallint) order by place`)} as waiting,
      ${arrayOf(sql`select mode, problem_version, 1000 * extract(epoch from clock_timestamp() - started_at)::float8 as for_ms
        from run where state = 'running' and target = ${target}`)} as running,
      present.online, coalesce(present."isPaused", false) as "isPaused", present."lastSeenAt",
      ${known === undefined ? arrayOf(endedRuns(target)) : sql`null`} as ended
    from (select ${RUNNERS} where runner.target = ${target}) as present`.execute(database.db);
  const { waiting, running, ended, ...presence } = rows[0] as TargetRow;
  return { waiting, running, presence, durations: known ?? keepDurations(database, target, ended ?? []) };
}

/** SQL: the rows of a query as one array. */
function arrayOf(query: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select coalesce(json_agg(found), '[]') from (${query}) as found)`;
}

const durationsCache = perDatabase(() => new Map<string, { durations: RunDurations; until: number }>());

function findKnownDurations(database: Database, target: string): RunDurations | undefined {
  const known = durationsCache(database).get(target);
  return known !== undefined && performance.now() < known.until ? known.durations : undefined;
}

/** Returns the durations of a target. Cached if many runs of a mode have ended. */
function keepDurations(database: Database, target: string, ended: NonNullable<TargetRow["ended"]>): RunDurations {
  const durations = new RunDurations();
  for (const { mode, problem_version, runs, mean, variance } of ended) {
    durations.set(mode, problem_version, { runs, meanMs: mean, varianceMs2: variance });
  }
  if (ended.some(({ runs }) => runs >= LATEST_RUNS)) {
    durationsCache(database).set(target, { durations, until: performance.now() + DURATIONS_MS });
  }
  return durations;
}

/** SQL: number and durations of the latest runs of a target by mode, at most `LATEST_RUNS` of each. */
function endedRuns(target: string): RawBuilder<unknown> {
  // Constants are literals, so that PostgreSQL does not plan the statement anew each time.
  return sql`
    select mode, problem_version, count(*)::integer as runs, avg(ms) as mean, coalesce(var_samp(ms), 0) as variance
    from unnest(array[${sql.join(RUN_MODES.map((mode) => sql.lit(mode)))}]) as of (mode) cross join lateral (
      select problem_version, 1000 * extract(epoch from finished_at - started_at)::float8 as ms from run
      where state = 'done' and target = ${target} and run.mode = of.mode and verdict <> 'infra_error' and not imported
        and started_at is not null and finished_at > now() - ${sql.lit(LATEST_DAYS)} * interval '1 day'
      order by finished_at desc limit ${sql.lit(LATEST_RUNS)}
    ) as ended
    group by grouping sets ((mode), (mode, problem_version))`;
}
