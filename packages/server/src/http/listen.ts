/** Gives the app a socket, and takes it away without cutting anybody off in the middle of an answer. */
import { Server } from "node:http";
import { serve, type ServerType } from "@hono/node-server";
import { KernelBotError } from "@kernelbot/core";
import type { Hono } from "hono";
import type { Connections } from "../clients/connections.ts";
import type { HttpEnv } from "./faces.ts";

/** How long answers under way may take once the server stops, in milliseconds. */
const GRACE_MS = 3_000;
const SWEEP_MS = 20;

export interface Listening {
  /** An address that reaches it from this machine. */
  url: string;
  /** Accepts no more connections, and resolves when the last one has ended. */
  close(): Promise<void>;
}

/** How long a connection may take to send the head of a request, and how often that is looked at; ms. */
const HEAD_TIMEOUTS = { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 };

/**
 * @param connections Counts the connections, where they are limited.
 * @throws KernelBotError `unavailable` when the address cannot be had.
 */
export function listen(app: Hono<HttpEnv>, host: string, port: number, connections?: Connections): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const options = { fetch: app.fetch, hostname: host, port, serverOptions: HEAD_TIMEOUTS };
    const server = serve(options, (address) => {
      server.off("error", refuse);
      resolve({ url: `http://${reachable(host)}:${address.port}`, close: () => close(server) });
    });
    if (server instanceof Server) connections?.watch(server);
    const refuse = (error: NodeJS.ErrnoException): void => reject(sentence(error, host, port));
    server.once("error", refuse);
  });
}

function close(server: ServerType): Promise<void> {
  if (!(server instanceof Server)) throw new TypeError("only plain HTTP is served");
  const endAt = Date.now() + GRACE_MS;
  // A connection whose answer has ended waits for the next request, which will not be taken.
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

/** The wildcard addresses are no place to go to. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

function sentence(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const why = {
    EADDRINUSE: `port ${port} of ${host} is in use; stop what uses it, or choose another by --port`,
    EACCES: `port ${port} may be used by root only; choose one above 1023 by --port`,
    EADDRNOTAVAIL: `this machine has no address ${host}; choose another by --host`,
    ENOTFOUND: `this machine has no address ${host}; choose another by --host`,
  }[error.code ?? ""];
  return why === undefined ? error : new KernelBotError("unavailable", why, { cause: error });
}
