/**
 * One server process for each data folder. The lock is an advisory lock of PostgreSQL itself: it goes with the process that
 * holds it, however that ends, and needs no file that could be left behind.
 */
import { once } from "node:events";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { KernelBotError } from "@kernelbot/core";
import { openClient, type Client, type Connection } from "../client.ts";
import type { Log } from "../log.ts";

/** Any number that no one else locks. */
const LOCK = 7_236_115;

/** PostgreSQL notices within this long that the connection of a killed server is gone, in milliseconds. */
const PATIENCE_MS = 3000;
const PAUSE_MS = 50;

export interface HeldLock {
  release(): Promise<void>;
}

/** @throws KernelBotError `conflict` that names the server that holds the folder. */
export async function holdLock(connection: Connection, dataDir: string, log: Log): Promise<HeldLock> {
  const name = `kernelbot-server ${process.pid} on ${hostname()}`;
  const released = new AbortController();

  let lost = Promise.withResolvers<undefined>();
  let client = openClient(connection, { name, onclose: () => lost.resolve(undefined) });
  const giveUpAt = Date.now() + PATIENCE_MS;
  while (!(await tryLock(client))) {
    if (Date.now() > giveUpAt) {
      const holder = await holderOf(client);
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
      // The database went away and comes back with no locks; ours is taken again before anything else is likely to ask.
      await pause(PAUSE_MS);
      lost = Promise.withResolvers<undefined>();
      client = openClient(connection, { name, onclose: () => lost.resolve(undefined) });
      const held = await tryLock(client).catch(() => false);
      if (held) log("the data folder is held again");
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
  const [row] = await client.query("select pg_try_advisory_lock($1) as held", [LOCK]);
  return row?.["held"] === true;
}

async function holderOf(client: Client): Promise<string> {
  const [row] = await client.query(
    `select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.classid = 0 and l.objid = $1 and l.granted`,
    [LOCK],
  );
  return String(row?.["name"] ?? "unknown");
}
