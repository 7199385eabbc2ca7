/**
 * Receives interactions over the gateway. Only one server connects at a time, because every connection receives all
 * interactions. The library sends heartbeats and resumes broken connections.
 */
import { proxyEnvironment } from "@kernelbot/api/proxy";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { Bot } from "./bot.ts";

/** Duration of the lease on the gateway; a server that does not renew it loses the connection to another one. */
const LEASE_MS = 15_000;
const RENEW_MS = 3000;
/** Minimum interval between connections; Discord allows 1000 per day. */
const AGAIN_MS = 30_000;

interface Connection {
  destroy(): Promise<void>;
  /** Whether the connection ended in a way that the library does not recover from. */
  isOver(): boolean;
}

/** Keeps the gateway connected while this server holds its lease. @returns a function that disconnects. */
export function keepGateway(bot: Bot, take: (interaction: unknown) => void): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const holder = randomUUID();
  let connection: Connection | undefined;
  let notBefore = -Infinity;

  async function disconnect(): Promise<void> {
    const old = connection;
    connection = undefined;
    await old?.destroy();
  }

  async function tick(): Promise<void> {
    const isMine = await leaseGateway(bot, holder);
    if (!isMine || connection?.isOver() === true) await disconnect();
    if (!isMine || connection !== undefined || performance.now() < notBefore) return;
    notBefore = performance.now() + AGAIN_MS;
    connection = await connect(bot, take);
  }

  const running = (async () => {
    while (!signal.aborted) {
      await tick().catch((error: unknown) =>
        bot.database.log(`Discord: gateway connection failed, retrying: ${String(error)}`),
      );
      await pause(RENEW_MS, undefined, { signal }).catch(() => undefined);
    }
    await disconnect();
    await releaseGateway(bot, holder).catch(() => undefined);
  })();
  return async () => {
    stopped.abort();
    await running;
  };
}

/** Takes or renews the lease on the gateway. @returns whether this server holds it. */
async function leaseGateway({ database, options }: Bot, holder: string): Promise<boolean> {
  const { rows } = await sql<{ lease_holder: string }>`
    insert into discord_app as a (id, lease_holder, lease_until)
    values (${options.applicationId}, ${holder}, clock_timestamp() + make_interval(secs => ${LEASE_MS / 1000}))
    on conflict (id) do update set lease_holder = excluded.lease_holder, lease_until = excluded.lease_until
      where a.lease_holder is null or a.lease_holder = excluded.lease_holder or a.lease_until < clock_timestamp()
    returning a.lease_holder`.execute(database.db);
  return rows[0]?.lease_holder === holder;
}

async function releaseGateway({ database: { db }, options }: Bot, holder: string): Promise<void> {
  await db
    .updateTable("discord_app")
    .set({ lease_holder: null, lease_until: null })
    .where("id", "=", options.applicationId)
    .where("lease_holder", "=", holder)
    .execute();
}

async function connect({ api, options, database }: Bot, take: (interaction: unknown) => void): Promise<Connection> {
  const { WebSocketManager, WebSocketShardEvents } = await import("@discordjs/ws");
  if (proxyEnvironment(process.env) !== undefined)
    database.log("Discord: the gateway connection does not use the proxy; set KERNELBOT_DISCORD_PUBLIC_KEY instead");
  // Interactions need no gateway intents.
  const manager = new WebSocketManager({ token: options.botToken, intents: 0, rest: api.rest });
  let isOver = false;
  manager.on(WebSocketShardEvents.Dispatch, (payload) => {
    const event: string = payload.t;
    if (event === "INTERACTION_CREATE") take(payload.d);
  });
  manager.on(WebSocketShardEvents.Error, (error) => {
    isOver = true;
    database.log(`Discord: gateway connection closed: ${error.message}`);
  });
  manager.on(WebSocketShardEvents.SocketError, (error) =>
    database.log(`Discord: gateway socket error: ${error.message}`),
  );
  try {
    await manager.connect();
  } catch (error) {
    await manager.destroy();
    throw error;
  }
  return { destroy: async () => manager.destroy(), isOver: () => isOver };
}
