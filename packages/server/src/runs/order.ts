/**
 * The order in which the runs of each target are claimed, with how long each waits: start-time fair queueing of accounts,
 * weighted (P. Goyal, H. M. Vin, H. Cheng, SIGCOMM 1996). `next_run` (schema/functions/next_run.sql) claims by it and `queue_order` tells
 * it; every face that tells a place in the queue reads it here. What it guarantees, on each target by itself:
 *
 * Let v be the virtual time: the largest start tag that was claimed. c is the cost of a run (`run_cost`: 1 for a test, 3 for a
 * benchmark, 4 for a ranked run), w the weight of its account. An account's tag is where its next run starts: v when its runs
 * began to wait, or later, by c / w for each of its runs that was claimed. The least tag is claimed next.
 *
 * 1. No flood is waited for. A run of an account that has nothing else waiting, and has had no more than its share (its tag is
 *    not above v), is claimed before any run of an account of which another was claimed since that began to wait. So beside
 *    a flood it is the very next, and waits for the machines alone. Of accounts that had nothing waiting either, each goes
 *    before it once at most. Only what was interrupted (a lease that ran out) and a re-run whose turn has come go first.
 * 2. Shares are even. Of two accounts that both have runs waiting for all of some time, W is what each had claimed in it, in
 *    cost: |W1 / w1 - W2 / w2| <= c1 / w1 + c2 / w2, with c the largest cost of a run of each (theorem 1).
 * 3. Nothing is saved up or owed for long. Who was away starts at v. Who has just had a run of cost c waits until v has come up
 *    by c / w at most: other accounts of the same weight have that much claimed each, and one run more.
 * 4. Of one account's runs the cheaper goes first, of equal cost the older. Of accounts with the same tag those go first of
 *    which nothing was claimed since they began to wait, then the cheaper run, then the older.
 *
 * A weight counts from the next claim on. What is cancelled before it was claimed has cost nothing.
 */
import { sql } from "kysely";
import { Durations, expectedWaits, type Estimate, type Mode, type RunState } from "@kernelbot/core";
import { coalesce } from "../db/coalesce.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import { retrying } from "../db/retry.ts";
import { TAKES_RUNS } from "./runners.ts";

/** Runs of each mode whose durations are looked at, and how old they may be, in days. */
const LATEST_RUNS = 200;
const LATEST_DAYS = 7;

/** Of a mode of which so many are known, one more changes little: durations are read again after so long, in milliseconds. */
const DURATIONS_MS = 5000;

/** An order that is longer than so many runs is read at most so often, in milliseconds: it takes tens of them. */
const LONG_ORDER = 20;
const LONG_ORDER_MS = 1000;

export interface Place {
  /** 1 is claimed next, if none comes in between. */
  place: number;
  /** How long until then; null where that is not known. */
  wait: Estimate | null;
}

/** By the number of the run. */
export type Places = ReadonlyMap<number, Place>;

export interface Order {
  places: Places;
  /** How long a test waits that comes now from an account with nothing else there. */
  newcomer: Estimate | null;
}

/** The order of a target as it is now. */
export function readOrder(database: Database, target: string): Promise<Order> {
  return orders(database)(target);
}

/** The places of those runs that wait. */
export async function placesOf(
  database: Database,
  runs: readonly { id: number; target: string; state: RunState }[],
): Promise<Places> {
  const targets = new Set(runs.filter(({ state }) => state === "queued").map(({ target }) => target));
  const found = await Promise.all(Array.from(targets, (target) => readOrder(database, target)));
  return new Map(
    runs.flatMap(({ id }) => found.flatMap(({ places }) => places.get(id) ?? []).map((place) => [id, place])),
  );
}

const orders = perDatabase((database) => {
  const kept = new Map<string, { order: Order; until: number }>();
  const read = coalesce(async (target: string) => {
    const order = await retrying(() => orderOf(database, target));
    if (order.places.size > LONG_ORDER) kept.set(target, { order, until: performance.now() + LONG_ORDER_MS });
    else kept.delete(target);
    return order;
  });
  return async (target: string): Promise<Order> => {
    const known = kept.get(target);
    return known !== undefined && performance.now() < known.until ? known.order : read(target);
  };
});

async function orderOf(database: Database, target: string): Promise<Order> {
  const [waiting, running, runners, durations] = await Promise.all([
    waitingOn(database, target),
    runningOn(database, target),
    runnersOn(database, target),
    durationsOn(database, target),
  ]);
  const waits = expectedWaits({
    runners,
    running: running.map((run) => ({ duration: durations.of(run.mode, run.problem_version), forMs: run.for_ms })),
    waiting: waiting.map((run) => durations.of(run.mode, run.problem_version)),
  });
  const ahead = waiting.findLastIndex((run) => run.is_ahead) + 1;
  return {
    places: new Map(waiting.map((run, index) => [run.run_id, { place: index + 1, wait: waits[index] ?? null }])),
    newcomer: waits[ahead] ?? null,
  };
}

interface WaitingRow {
  run_id: number;
  mode: Mode;
  problem_version: string;
  is_ahead: boolean;
}

async function waitingOn({ db }: Database, target: string): Promise<WaitingRow[]> {
  const { rows } = await sql<WaitingRow>`
    select run_id, mode, problem_version, is_ahead from queue_order(${target}) order by place`.execute(db);
  return rows;
}

async function runningOn({ db }: Database, target: string) {
  return db
    .selectFrom("run")
    .select(["mode", "problem_version"])
    .select(sql<number>`1000 * extract(epoch from clock_timestamp() - started_at)::float8`.as("for_ms"))
    .where("state", "=", "running")
    .where("target", "=", target)
    .execute();
}

/** One whose token was revoked claims nothing any more. */
async function runnersOn({ db }: Database, target: string): Promise<number> {
  const { count } = await db
    .selectFrom("runner")
    .innerJoin("token", "token.id", "runner.token_id")
    .select(sql<number>`count(*)::integer`.as("count"))
    .where("runner.target", "=", target)
    .where("token.revoked_at", "is", null)
    .where(TAKES_RUNS)
    .executeTakeFirstOrThrow();
  return count;
}

const keptDurations = perDatabase(() => new Map<string, { durations: Durations; until: number }>());

async function durationsOn(database: Database, target: string): Promise<Durations> {
  const kept = keptDurations(database);
  const known = kept.get(target);
  if (known !== undefined && performance.now() < known.until) return known.durations;
  const { durations, runs } = await readDurations(database, target);
  if (runs >= LATEST_RUNS) kept.set(target, { durations, until: performance.now() + DURATIONS_MS });
  return durations;
}

/** With how many runs the most frequent mode has, up to those that are looked at. */
async function readDurations({ db }: Database, target: string): Promise<{ durations: Durations; runs: number }> {
  const { rows } = await sql<{
    mode: Mode;
    problem_version: string | null;
    runs: number;
    mean: number;
    variance: number;
  }>`
    select mode, problem_version, count(*)::integer as runs, avg(ms) as mean, coalesce(var_samp(ms), 0) as variance
    from unnest(array['test', 'benchmark', 'ranked', 'profile', 'duel']) as of (mode) cross join lateral (
      select problem_version, 1000 * extract(epoch from finished_at - started_at)::float8 as ms from run
      where state = 'done' and target = ${target} and run.mode = of.mode and verdict <> 'infra_error' and not imported
        and started_at is not null and finished_at > now() - ${LATEST_DAYS}::integer * interval '1 day'
      order by finished_at desc limit ${LATEST_RUNS}
    ) as ended
    group by grouping sets ((mode), (mode, problem_version))`.execute(db);
  const durations = new Durations();
  for (const { mode, problem_version, runs, mean, variance } of rows) {
    durations.set(mode, problem_version, { runs, meanMs: mean, varianceMs2: variance });
  }
  return { durations, runs: Math.max(0, ...rows.map((row) => row.runs)) };
}
