/**
 * Allows one server process per data folder, by a PostgreSQL advisory lock. PostgreSQL releases the lock when the
 * process that holds it ends, and no lock file can be left behind.
 */
import { once } from "node:events";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { KernelBotError } from "@kernelbot/core";
import { openClient, type Client, type Connection } from "../client.ts";
import type { Log } from "../log.ts";
import { describeProcess } from "./process.ts";

/** Key of the advisory lock, which no other code uses. */
const LOCK = 7_236_115;

/** Time in which a server that is stopping may release the lock, in milliseconds. */
const PATIENCE_MS = 3000;
const PAUSE_MS = 50;

export interface HeldLock {
  release(): Promise<void>;
}

/**
 * Takes the lock of a data folder, and takes it again after a restart of the database.
 * @throws KernelBotError `conflict` that names the server that uses the folder.
 */
export async function holdLock(connection: Connection, dataDir: string, log: Log): Promise<HeldLock> {
  const name = `kernelbot-server ${process.pid} on ${hostname()}`;
  const released = new AbortController();

  let lost = Promise.withResolvers<undefined>();
  let client = openClient(connection, { name, onclose: () => lost.resolve(undefined) });
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!(await tryLock(client))) {
    if (Date.now() > giveUpAt) {
      const holder = await holderOf(client);
      // PostgreSQL has not noticed yet that the connection of a killed server is gone.
      if (holder === null || hasEnded(holder)) {
        await pause(PAUSE_MS);
        continue;
      }
      await client.end(1);
      throw new KernelBotError(
        "conflict",
        `another server (${holder}) already uses ${dataDir}; stop it first, or choose another folder`,
      );
    }
    await pause(PAUSE_MS);
  }

  const holding = (async () => {
    for (;;) {
      await Promise.race([lost.promise, aborted(released.signal)]);
      await client.end(0);
      if (released.signal.aborted) return;
      // The restarted database has no locks. This server takes the lock again, almost certainly before another one
      // tries.
      await pause(PAUSE_MS);
      lost = Promise.withResolvers<undefined>();
      client = openClient(connection, { name, onclose: () => lost.resolve(undefined) });
      const isLocked = await tryLock(client).catch(() => false);
      if (isLocked) log("the data folder is locked again");
      else lost.resolve(undefined);
    }
  })();

  return {
    async release() {
      released.abort();
      await holding;
    },
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}

async function tryLock(client: Client): Promise<boolean> {
  const [row] = await client.query("select pg_try_advisory_lock($1) as is_locked", [LOCK]);
  return row?.["is_locked"] === true;
}

/** Returns the name of the server that holds the lock; null if none does. */
async function holderOf(client: Client): Promise<string | null> {
  const [row] = await client.query(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.classid = 0 and l.objid = $1 and l.granted`,
    [LOCK],
  );
  return row === undefined ? null : String(row["name"]);
}

/** Returns whether a holder is a process of this machine that no longer runs. */
function hasEnded(holder: string): boolean {
  const [, pid = "", host] = /^kernelbot-server (\d+) on (.*)$/.exec(holder) ?? [];
  return host === hostname() && describeProcess(Number(pid)) === null;
}
