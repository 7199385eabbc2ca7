/** Status of the service, from the checks of the server, the gate and the queue. */
import { sql } from "kysely";
import { incidentsOf, MODES, type Queue, type ServiceStatus, type VerdictTime } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { coalesce } from "../db/coalesce.ts";
import { perDatabase } from "../db/per-database.ts";
import { isGateOpen } from "../submissions/gate.ts";
import type { Health } from "./health.ts";

/** How long the median times are kept, in milliseconds: sorting the runs of a busy day takes tens of milliseconds. */
const KEPT_MS = 10_000;

/** Returns the status. @param queue The queue as the viewer may see it. */
export async function readStatus(database: Database, health: Health, queue: Queue): Promise<ServiceStatus> {
  const [{ checks }, accepts, verdictTimes] = await Promise.all([
    health.readiness(),
    isGateOpen(database),
    verdictTimesOf(database)("all"),
  ]);
  const incidents = incidentsOf(accepts, checks, queue.targets);
  return {
    at: queue.at,
    isWorking: !incidents.some(({ kind, isCurrent }) => isCurrent && kind !== "infra_errors"),
    accepts,
    targets: queue.targets.map((target) => {
      const { lastHour = NONE, lastDay = NONE } = verdictTimes.get(target.target) ?? {};
      return { ...target, lastHour, lastDay };
    }),
    incidents,
  };
}

const NONE: VerdictTime = { runs: 0, medianMs: null };

type VerdictTimes = ReadonlyMap<string, { lastHour: VerdictTime; lastDay: VerdictTime }>;

const verdictTimesOf = perDatabase((database) =>
  coalesce(
    (_: "all") => readVerdictTimes(database),
    undefined,
    () => KEPT_MS,
  ),
);

/** Reads the median time from submission to verdict by target. Excludes re-runs, which are delayed on purpose. */
async function readVerdictTimes({ db }: Database): Promise<VerdictTimes> {
  const ms = sql`1000 * extract(epoch from finished_at - created_at)::float8`;
  const isLastHour = sql`finished_at > now() - interval '1 hour'`;
  const { rows } = await sql<Record<"hour_ms" | "day_ms", number | null> & TimedRuns>`
    select t.target, count(*)::integer as day_runs, count(*) filter (where ${isLastHour})::integer as hour_runs,
      percentile_cont(0.5) within group (order by ${ms}) as day_ms,
      percentile_cont(0.5) within group (order by ${ms}) filter (where ${isLastHour}) as hour_ms
    from (select distinct target from board) t
    join run on run.state = 'done' and run.target = t.target and run.mode = any(${[...MODES]}::text[]) and run.priority = 0
      and run.rerun = 0 and run.verdict <> 'infra_error' and run.finished_at > now() - interval '24 hours'
    group by t.target`.execute(db);
  return new Map(
    rows.map(({ target, hour_runs, hour_ms, day_runs, day_ms }) => [
      target,
      { lastHour: { runs: hour_runs, medianMs: hour_ms }, lastDay: { runs: day_runs, medianMs: day_ms } },
    ]),
  );
}

interface TimedRuns {
  target: string;
  hour_runs: number;
  day_runs: number;
}
