/** Counts the connections of a server by client, so that no address occupies all of them. */
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { clientConnections, clientsRefused } from "../../observe/metrics.ts";
import { networkOf } from "../../auth/rate-limits.ts";
import { countDown, refusal, type Client } from "./clients.ts";
import type { ClientLimits } from "./limits.ts";

/** Counters and limits of connections. */
export interface Connections {
  /**
   * Counts a connection for the client of a request on it.
   * @throws KernelBotError `too_many_requests` when the client has too many connections.
   */
  assign(socket: Socket, client: Client): void;
  /** Returns whether there are so many connections that only health checks are answered. */
  isFull(): boolean;
  /** Starts counting the connections of a server. */
  watch(server: Server): void;
}

/**
 * Multiple of a network's limit at which new connections are closed at once; between the limit and this, requests are
 * answered with an error.
 */
const CLOSED_FROM = 4;
/** Share of connections reserved for health checks. */
const FOR_HEALTH = 0.05;
/** `Retry-After` of rejected clients, in seconds. */
const RETRY_AFTER_S = 5;
/** Share of file descriptors for connections; files and the database need the rest. */
const OF_DESCRIPTORS = 0.8;

/** Returns the maximum number of connections, derived from this process's limit of open files. */
export function mostConnections(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Math.floor(Number(soft ?? 10_000) * OF_DESCRIPTORS);
  } catch {
    // This file exists only on Linux.
    return 8_000;
  }
}

/**
 * Creates the counters.
 * @param byAddress Whether the remote address is that of the client. False behind a proxy, which limits connections
 * itself.
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
