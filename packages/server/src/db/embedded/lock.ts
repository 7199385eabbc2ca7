/**
 * One server process for each data folder. The lock is an advisory lock of PostgreSQL itself: it goes with the process that
 * holds it, however that ends, and needs no file that could be left behind.
 */
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import type postgres from "postgres";
import { KernelBotError } from "@kernelbot/core";
import { openClient, type Connection } from "../client.ts";
import type { Log } from "../log.ts";

/** Any number that no one else locks. */
const LOCK = 7_236_115;

/** PostgreSQL notices within this long that the connection of a killed server is gone, in milliseconds. */
const PATIENCE_MS = 3000;

export interface HeldLock {
  release(): Promise<void>;
}

/** @throws KernelBotError `conflict` that names the server that holds the folder. */
export async function holdLock(connection: Connection, dataDir: string, log: Log): Promise<HeldLock> {
  let released = false;
  const sql = openClient(connection, {
    max: 1,
    connection: { application_name: `kernelbot-server ${process.pid} on ${hostname()}` },
    onclose: () => void (held && !released && takeAgain()),
  });
  let held = false;
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!(held = await tryLock(sql))) {
    if (Date.now() > giveUpAt) {
      const holder = await holderOf(sql);
      await sql.end({ timeout: 1 });
      throw new KernelBotError(
        "conflict",
        `another server (${holder}) already uses ${dataDir}; stop it first, or choose another folder`,
      );
    }
    await pause(50);
  }

  async function takeAgain(): Promise<void> {
    held = false;
    while (!released && !(held = await tryLock(sql).catch(() => false))) await pause(100);
    if (!released) log("holding the data folder again");
  }

  return {
    async release() {
      released = true;
      await sql.end({ timeout: 1 });
    },
  };
}

async function tryLock(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql<{ held: boolean }[]>`select pg_try_advisory_lock(${LOCK}) as held`;
  return row?.held === true;
}

async function holderOf(sql: postgres.Sql): Promise<string> {
  const [row] = await sql<{ name: string }[]>`
    select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and l.classid = 0 and l.objid = ${LOCK} and l.granted`;
  return row?.name ?? "unknown";
}
