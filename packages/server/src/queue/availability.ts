/**
 * Availability of targets: whether a runner is online or starting, a launcher can start one, or queued runs wait until a
 * runner connects. Every page, API and message that mentions runners of a target gets this from here.
 */
import { sql } from "kysely";
import type { TargetAvailability } from "@kernelbot/core";
import { coalesce } from "../db/coalesce.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import { CAN_CLAIM, IS_ONLINE } from "../runners/presence.ts";

/** Runners of a target whose token is valid, and its queue. */
interface Presence {
  /** Number of runners that are online and can claim runs. */
  online: number;
  /** Whether a paused runner is online. */
  isPaused: boolean;
  /** Of all runners, those with a revoked token included. */
  lastSeenAt: Date | null;
  queued: number;
}

/** What is read about more than `LONG_QUEUE` queued runs is kept for this long: reading it takes tens of milliseconds. */
const LONG_QUEUE = 20;
const LONG_QUEUE_MS = 1000;

/** A local runner that has not connected after this time does not work, so that its target counts as offline. */
const STARTING_MS = 120_000;

/** Returns for how many milliseconds what was read about this many queued runs is kept. */
export function keptMsOfQueue(queued: number): number {
  return queued > LONG_QUEUE ? LONG_QUEUE_MS : 0;
}

const NO_RUNNER: Presence = { online: 0, isPaused: false, lastSeenAt: null, queued: 0 };

/** Other ways to a runner than one that is connected. */
interface Prospect {
  /** Whether this server has just started a runner on its own machine. */
  isStarting: boolean;
  /** Whether a launcher can start a runner. */
  isLaunchable: boolean;
}

/** Returns the availability of a target. */
export function availabilityOf(
  { online, isPaused, lastSeenAt, queued }: Presence,
  { isStarting, isLaunchable }: Prospect,
): TargetAvailability {
  if (online > 0) return { status: "online", online, queued, lastSeenAt: null };
  const status = isStarting && !isPaused ? "starting" : isLaunchable ? "on_demand" : isPaused ? "paused" : "offline";
  return { status, online, queued, lastSeenAt: lastSeenAt?.toISOString() ?? null };
}

/** Availability by target. */
export type Availabilities = (target: string) => TargetAvailability;

/** Reads the availability of all targets. Concurrent calls share the read; that of a long queue is up to 1 s old. */
export async function readAvailabilities(database: Database): Promise<Availabilities> {
  const { presences, prospects } = await readerOf(database)("all");
  return (target) => availabilityOf(presences.get(target) ?? NO_RUNNER, prospects(target));
}

const readerOf = perDatabase((database) =>
  coalesce(
    async (_: "all") => {
      const [presences, prospects] = await Promise.all([readPresences(database), readProspects(database)]);
      return { presences, prospects };
    },
    undefined,
    ({ presences }) => keptMsOfQueue([...presences.values()].reduce((sum, { queued }) => sum + queued, 0)),
  ),
);

/** Reads by target which other ways to a runner exist. */
export async function readProspects(database: Database): Promise<(target: string) => Prospect> {
  const { startingUntil, findLaunchable } = startsOf(database);
  const launchable = await findLaunchable();
  return (target) => ({
    isStarting: performance.now() < (startingUntil.get(target) ?? 0),
    isLaunchable: launchable.has(target),
  });
}

/** Finds the targets for which a launcher can start a runner now. */
type FindLaunchable = () => Promise<ReadonlySet<string>>;

const startsOf = perDatabase(() => ({
  findLaunchable: (): Promise<ReadonlySet<string>> => Promise.resolve(new Set()),
  /** By target: the time, as `performance.now()`, until which the server's own runner counts as starting. */
  startingUntil: new Map<string, number>(),
}));

/** Sets how launchable targets are found. Called once when the server opens, because launchers are an integration. */
export function setLaunchable(database: Database, find: FindLaunchable): void {
  startsOf(database).findLaunchable = find;
}

/** Records that the server has started a runner for a target on its own machine, which connects within seconds. */
export function recordStartingRunner(database: Database, target: string): void {
  startsOf(database).startingUntil.set(target, performance.now() + STARTING_MS);
}

async function readPresences({ db }: Database): Promise<Map<string, Presence>> {
  const { rows } = await sql<Presence & { target: string }>`
    select target, coalesce(online, 0) as online, coalesce("isPaused", false) as "isPaused", "lastSeenAt",
      coalesce(queued, 0) as queued
    from (select runner.target, ${RUNNERS} group by runner.target) as present
    full join (
      select target, count(*)::integer as queued from run where state = 'queued' and priority = 0 group by target
    ) as waiting using (target)`.execute(db);
  return new Map(rows.map(({ target, ...presence }) => [target, presence]));
}

/** SQL: columns of `Presence`, except `queued`, over the selected rows of `runner`. */
export const RUNNERS = sql`max(runner.seen_at) as "lastSeenAt",
  count(*) filter (where token.revoked_at is null and ${CAN_CLAIM})::integer as online,
  bool_or(token.revoked_at is null and runner.admin_state = 'paused' and ${IS_ONLINE}) as "isPaused"
  from runner join token on token.id = runner.token_id`;
