/**
 * Middleware that rejects clients with too many connections, streams, uploads or requests, before it reads their
 * requests.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { KernelBotError } from "@kernelbot/core";
import type { Context, MiddlewareHandler } from "hono";
import type { Client } from "./clients/clients.ts";
import { hashOf } from "../auth/secret.ts";
import { networkOf } from "../auth/rate-limits.ts";
import { authenticate, CLIENT_ID } from "../auth/tokens.ts";
import { readCookie, sessionOf } from "./cookies.ts";
import type { Services, HttpEnv } from "../services.ts";
import { addressOf } from "./origin.ts";

/** Health checks must always be answered; assets are a few files that browsers cache. */
const NOT_LIMITED = /^\/(?:healthz$|readyz$|assets\/)/;
/** Time for which the account of a session is cached, in milliseconds. The cache is used only for limits. */
const REMEMBER_MS = 60_000;
const MOST_REMEMBERED = 10_000;
const RETRY_AFTER_S = 5;

export function limitClients(services: Services): MiddlewareHandler<HttpEnv> {
  const { clients, connections } = services;
  const clientOf = clientFinder(services);
  return async (c, next) => {
    if (NOT_LIMITED.test(c.req.path)) return next();
    const client = await clientOf(c);
    c.set("client", client);
    const { incoming } = socketsOf(c);
    try {
      if (connections.isFull()) throw connectionLimitError();
      if (incoming !== undefined) connections.assign(incoming.socket, client);
      clients.takeRequest(client);
      if (incoming !== undefined && hasBody(c)) {
        const end = clients.openUpload(client);
        incoming.once("end", end).once("close", end);
      }
    } catch (error) {
      c.header("connection", "close");
      throw error;
    }
    return next();
  };
}

/** Counts the response as an open event stream of its client until the connection ends. */
export function countStream(c: Context<HttpEnv>, { clients }: Services): void {
  const { incoming, outgoing } = socketsOf(c);
  // A request without a connection, as in tests, does not end with one.
  if (incoming === undefined || outgoing === undefined) return;
  const end = clients.openStream(c.get("client"));
  outgoing.once("close", end);
  if (incoming.socket.destroyed) end();
}

/**
 * Returns a function that determines the client of a request: the account of a valid token or session, else the network
 * of the address. Requests of runners are not counted (null): a fleet shares one address and has many long polls open.
 */
function clientFinder(services: Services): (c: Context<HttpEnv>) => Promise<Client> {
  const { database, site } = services;
  const sessions = new Map<string, { accountId: string; until: number }>();

  async function accountOf(c: Context<HttpEnv>): Promise<string | undefined> {
    const secret = readCookie(c, services, "session");
    if (secret === undefined) return undefined;
    const key = hashOf(secret).toString("base64");
    const known = sessions.get(key);
    if (known !== undefined && known.until > performance.now()) return known.accountId;
    const accountId = (await sessionOf(c, services))?.account.id;
    if (accountId === undefined) return undefined;
    if (sessions.size >= MOST_REMEMBERED) sessions.clear();
    sessions.set(key, { accountId, until: performance.now() + REMEMBER_MS });
    return accountId;
  }

  async function signedIn(c: Context<HttpEnv>): Promise<Client | undefined> {
    const token = tokenOf(c);
    if (token === undefined) {
      const accountId = await accountOf(c);
      return accountId && `account ${accountId}`;
    }
    const { account, scopes } = await authenticate(database, token, CLIENT_ID);
    return scopes.includes("runner") && c.req.path.startsWith("/api/v1/runner/") ? null : `account ${account.id}`;
  }

  return async (c) => {
    // Invalid tokens and database errors are reported by the route, if it needs an account.
    const client = await signedIn(c).catch(() => undefined);
    return client === undefined ? `network ${networkOf(addressOf(c, site))}` : client;
  };
}

function tokenOf(c: Context<HttpEnv>): string | undefined {
  const header = c.req.header("authorization");
  if (header !== undefined) return /^Bearer +(\S+)$/i.exec(header)?.[1] ?? "";
  return c.req.header("x-popcorn-cli-id") ?? c.req.header("x-web-auth-id");
}

function hasBody(c: Context<HttpEnv>): boolean {
  return c.req.header("transfer-encoding") !== undefined || Number(c.req.header("content-length") ?? 0) > 0;
}

interface Sockets {
  incoming?: IncomingMessage;
  outgoing?: ServerResponse;
}

/** Returns the Node.js request and response; empty for a request without a connection. */
function socketsOf({ env }: { env: unknown }): Sockets {
  return env ?? {};
}

function connectionLimitError(): KernelBotError {
  return new KernelBotError(
    "unavailable",
    `this server has reached its connection limit; try again in ${RETRY_AFTER_S} seconds`,
    { retryAfterS: RETRY_AFTER_S },
  );
}
