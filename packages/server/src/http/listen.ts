/** Binds the app to a socket, and closes it after the responses in progress have ended. */
import { Server, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type ServerType } from "@hono/node-server";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Hono } from "hono";
import type { Connections } from "./clients/connections.ts";
import { isWebSocket, openWebSocketServer } from "./web-sockets.ts";
import type { HttpEnv } from "../services.ts";

const GRACE_MS = 3_000;
const SWEEP_MS = 20;

export interface Listening {
  /** URL that reaches the server from this machine. */
  url: string;
  /** Stops accepting connections; resolves when the last one has ended. */
  close(): Promise<void>;
}

/** Maximum time for the head of a request, and the interval at which Node checks it; ms. */
const HEAD_TIMEOUTS = { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 };

interface ListenOptions {
  /** Counts connections, where they are limited. */
  connections?: Connections;
  /**
   * File descriptor of a listening socket passed by the supervisor; connections queue there while a server restarts.
   */
  inherited?: number | undefined;
  /** Time that responses in progress have after the server stops, in milliseconds. */
  graceMs?: number;
}

/**
 * Starts listening.
 * @throws KernelBotError `unavailable` when the address cannot be bound.
 */
export function listen(
  app: Hono<HttpEnv>,
  host: string,
  port: number,
  { connections, inherited, graceMs = GRACE_MS }: ListenOptions = {},
): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const server = createAdaptorServer({
      fetch: app.fetch,
      hostname: host,
      serverOptions: { ...HEAD_TIMEOUTS, shouldUpgradeCallback: isWebSocket },
      websocket: { server: openWebSocketServer() },
    });
    // Clients that append a path to a base URL ending in "/" request //path.
    server.prependListener("request", (incoming: IncomingMessage) => {
      incoming.url = incoming.url?.replace(/^\/{2,}/, "/");
    });
    if (server instanceof Server) connections?.watch(server);
    const refuse = (error: NodeJS.ErrnoException): void => reject(listenError(error, host, port));
    server.once("error", refuse);
    server.listen(inherited === undefined ? { host, port } : { fd: inherited }, () => {
      server.off("error", refuse);
      const address = server.address() as AddressInfo;
      resolve({ url: `http://${reachable(host)}:${address.port}`, close: () => close(server, graceMs) });
    });
  });
}

/** First file descriptor that a supervisor such as systemd passes to a socket-activated process. */
const FIRST_INHERITED = 3;

/**
 * Returns the file descriptor of the listening socket that a supervisor passed to this process (sd_listen_fds(3));
 * undefined where there is none.
 * @throws KernelBotError `bad_request` for more than one.
 */
export function inheritedSocket(env: NodeJS.ProcessEnv): number | undefined {
  if (env.LISTEN_PID !== String(process.pid) || env.LISTEN_FDS === undefined || env.LISTEN_FDS === "0")
    return undefined;
  if (env.LISTEN_FDS === "1") return FIRST_INHERITED;
  throw new KernelBotError(
    "bad_request",
    `LISTEN_FDS is ${quote(env.LISTEN_FDS)}: the server uses one socket; keep only one ListenStream in its socket unit`,
  );
}

function close(server: ServerType, graceMs: number): Promise<void> {
  if (!(server instanceof Server)) throw new TypeError("only plain HTTP is supported");
  const endAt = Date.now() + graceMs;
  // Keep-alive connections that become idle are closed, because they would wait for requests that are not accepted.
  const sweep = setInterval(() => {
    if (Date.now() > endAt) server.closeAllConnections();
    else server.closeIdleConnections();
  }, SWEEP_MS);
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}

/** Returns a host that clients can connect to: loopback for a wildcard address. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const why = {
    EADDRINUSE: `port ${port} of ${host} is already in use; stop the other process or choose another port with --port`,
    EACCES: `port ${port} requires root; choose one above 1023 with --port`,
    EADDRNOTAVAIL: `this machine has no address ${host}; choose another with --host`,
    ENOTFOUND: `this machine has no address ${host}; choose another with --host`,
  }[error.code ?? ""];
  return why === undefined ? error : new KernelBotError("unavailable", why, { cause: error });
}
