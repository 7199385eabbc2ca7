/** Metrics that are read at each scrape: queue, runners and connections. */
import { statfs } from "node:fs/promises";
import { sql } from "kysely";
import type { Logger } from "pino";
import { Gauge, Registry } from "prom-client";
import { KernelBotError } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { setResponsiveTimeout } from "../db/responsive-timer.ts";
import { isConnectionError } from "../db/retry.ts";
import { registry } from "../observe/metrics.ts";
import { readOutcomes } from "./backups/outcomes.ts";
import { HAS_LEASED_RUN, IS_ONLINE } from "../runners/presence.ts";

/** Time after which the database counts as unreachable, in milliseconds. Prometheus' default scrape timeout is 10 s. */
const TIMEOUT_MS = 3000;

/**
 * Returns all metrics in Prometheus' text format. Queue and runners are those of the whole database, so every server
 * reports the same values. Queries that fail are logged; values that could not be read are omitted.
 */
export async function readMetrics(database: Database, log: Logger, dataDir: string): Promise<string> {
  const now = new Registry();
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Gauge({ name: `kernelbot_${name}`, help, labelNames, registers: [now] });
  const reachable = gauge("database_up", "Whether the database answered this scrape.", []);
  const queued = gauge("runs_open", "Queued and running runs.", ["target", "state"]);
  const oldest = gauge("queue_oldest_wait_seconds", "Time that the oldest queued run has waited.", ["target"]);
  const runners = gauge("runners", "Runners that were online in the last week.", ["target", "state"]);
  const connections = gauge("database_connections", "Connections of this server to the database.", ["kind"]);
  const waiting = gauge("database_waiting", "Statements and transactions waiting for a database connection.", ["kind"]);

  const backup = gauge("backup_age_seconds", "Age of the newest backup; absent before the first.", []);
  const tested = gauge(
    "restore_test_age_seconds",
    "Time since the newest successful restore test; absent before the first.",
    [],
  );
  const failed = gauge("backup_failed", "Whether the newest backup, or restore test, failed.", ["kind"]);

  const free = gauge("disk_free_bytes", "Free space of the file system of the data directory.", []);
  const size = gauge("disk_size_bytes", "Size of the file system of the data directory.", []);

  const { pool, sessions } = database.load();
  connections.set({ kind: "pool" }, pool.connections);
  connections.set({ kind: "transactions" }, sessions.connections);
  waiting.set({ kind: "statements" }, pool.unanswered);
  waiting.set({ kind: "transactions" }, sessions.waiting);
  const results = await Promise.allSettled([
    statfs(dataDir).then(({ bavail, blocks, bsize }) => {
      free.set(bavail * bsize);
      size.set(blocks * bsize);
    }),
    withTimeout(openRuns(database)).then((runs) => {
      for (const { target, state, count, oldest_s } of runs) {
        queued.set({ target, state }, count);
        if (state === "queued") oldest.set({ target }, oldest_s);
      }
    }),
    withTimeout(runnersByState(database)).then((known) => {
      for (const { target, state, count } of known) runners.set({ target, state }, count);
    }),
    withTimeout(readOutcomes(database)).then(({ takenAt, testedAt, backupError, testError }) => {
      setAge(backup, takenAt);
      setAge(tested, testedAt);
      failed.set({ kind: "backup" }, backupError === null ? 0 : 1);
      failed.set({ kind: "restore_test" }, testError === null ? 0 : 1);
    }),
  ]);
  const errors = results.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
  reachable.set(errors.some(isUnreachable) ? 0 : 1);
  // An unreachable database is reported by `database_up`; any other error is a bug and logged.
  for (const err of errors.filter((error) => !isUnreachable(error))) log.error({ err }, "metrics could not be read");
  return Registry.merge([registry, now]).metrics();
}

class DatabaseTimeout extends Error {}

async function withTimeout<T>(answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const cancel = setResponsiveTimeout(() => late.reject(new DatabaseTimeout()), TIMEOUT_MS);
  return Promise.race([answer, late.promise]).finally(cancel);
}

function isUnreachable(error: unknown): boolean {
  // The pool throws `unavailable` after this server has closed the database.
  const isClosed = error instanceof KernelBotError && error.code === "unavailable";
  return isClosed || error instanceof DatabaseTimeout || isConnectionError(error);
}

async function openRuns({ db }: Database) {
  const { rows } = await sql<{ target: string; state: "queued" | "running"; count: number; oldest_s: number }>`
    select target, state, count(*)::integer as count,
      extract(epoch from clock_timestamp() - min(created_at))::double precision as oldest_s
    from run where state in ('queued', 'running') group by target, state`.execute(db);
  return rows;
}

async function runnersByState({ db }: Database) {
  const { rows } = await sql<{ target: string; state: string; count: number }>`
    select target, state, count(*)::integer as count from (
      select target, case when ${HAS_LEASED_RUN} then 'working' when not ${IS_ONLINE} then 'gone'
        when admin_state <> 'active' then admin_state else 'waiting' end as state
      from runner) as known
    group by target, state`.execute(db);
  return rows;
}

function setAge(gauge: Gauge, at: string | null): void {
  if (at === null) gauge.remove();
  else gauge.set((Date.now() - Date.parse(at)) / 1000);
}
