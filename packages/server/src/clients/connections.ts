/** Counts the connections of a listening server by client, so that no address takes all of them. */
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { clientConnections, clientsRefused } from "../observe/metrics.ts";
import { networkOf } from "../people/throttle.ts";
import { countDown, refusal, type Client } from "./clients.ts";
import type { ClientLimits } from "./limits.ts";

/** Whether a request on a connection is answered. */
export interface Connections {
  /**
   * Counts a connection for the client that a request on it comes from.
   * @throws KernelBotError `too_many_requests` where that client has too many.
   */
  assign(socket: Socket, client: Client): void;
  /** Whether the server has so many connections that it answers health checks only. */
  isFull(): boolean;
  /** Counts the connections of a server from now on. */
  watch(server: Server): void;
}

/** Connections of a network beyond its limit are answered with a refusal; beyond so many times the limit, closed at once. */
const CLOSED_FROM = 4;
/** The share of connections that is left for health checks. */
const FOR_HEALTH = 0.05;
/** Seconds after which a refused client may try again. */
const RETRY_AFTER_S = 5;
/** The share of file descriptors that connections may take; files and the database need the others. */
const OF_DESCRIPTORS = 0.8;

/** Connections that a server may have, by the limit of open files of this process. */
export function mostConnections(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Math.floor(Number(soft ?? 10_000) * OF_DESCRIPTORS);
  } catch {
    // Only Linux has this file.
    return 8_000;
  }
}

/**
 * @param byAddress Whether each connection is a client's own; behind a proxy all are the proxy's, which limits them itself.
 */
export function countConnections(limits: ClientLimits, most: number, byAddress: boolean): Connections {
  const counts = new Map<string, number>();
  const clientOf = new WeakMap<Socket, Client>();
  let open = 0;

  function move(socket: Socket, client: Client): void {
    const before = clientOf.get(socket);
    if (before === client) return;
    if (before != null) countDown(counts, before);
    if (client !== null) counts.set(client, (counts.get(client) ?? 0) + 1);
    clientOf.set(socket, client);
  }

  function take(socket: Socket): void {
    open += 1;
    clientConnections.set(open);
    const client = byAddress ? `network ${networkOf(socket.remoteAddress ?? "unknown")}` : null;
    move(socket, client);
    socket.once("close", () => {
      open -= 1;
      clientConnections.set(open);
      move(socket, null);
    });
    if (client !== null && (counts.get(client) ?? 0) > CLOSED_FROM * limits.connections) {
      clientsRefused.inc({ limit: "connections" });
      socket.destroy();
    }
  }

  return {
    watch(server) {
      server.maxConnections = most;
      server.on("connection", take);
    },
    isFull: () => open > most * (1 - FOR_HEALTH),
    assign(socket, client) {
      if (!byAddress || !clientOf.has(socket)) return;
      move(socket, client);
      if (client === null || (counts.get(client) ?? 0) <= limits.connections) return;
      throw refusal("connections", `more than ${limits.connections} connections open`, RETRY_AFTER_S);
    },
  };
}
