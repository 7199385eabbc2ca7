/**
 * Middleware that rejects clients with too many connections, streams, uploads or requests, before it reads their
 * requests.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { KernelBotError } from "@kernelbot/core";
import type { Context, MiddlewareHandler } from "hono";
import type { Client } from "./clients/clients.ts";
import type { Identity } from "../auth/identity.ts";
import { hashOf } from "../auth/secret.ts";
import { networkOf } from "../auth/rate-limits.ts";
import { authenticate, CLIENT_ID } from "../auth/tokens.ts";
import { readCookie, SESSION_COOKIE, sessionOf } from "./cookies.ts";
import type { Services, HttpEnv } from "../services.ts";
import { addressOf } from "./origin.ts";

/** Health checks must always be answered; assets are a few files that browsers cache. */
const NOT_LIMITED = /^\/(?:healthz$|readyz$|assets\/)/;
/** Time for which the account of a session or token is cached, in milliseconds. The cache is used only for limits. */
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
  const { clients, database, site } = services;
  const remembered = new Map<string, { accountId: string; isRunner: boolean; until: number }>();

  /** Returns whom a secret identifies, as cached or read; null if it identifies no one. */
  async function find(secret: string, network: Client, read: () => Promise<Identity | null>) {
    const key = hashOf(secret).toString("base64");
    const known = remembered.get(key);
    if (known !== undefined && known.until > performance.now()) return known;
    // A network that has exceeded its rate cannot make the server read one random secret after the other.
    clients.requireRate(network);
    const identity = await read();
    if (identity === null) return null;
    const found = { accountId: identity.account.id, isRunner: identity.scopes.includes("runner") };
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(key, { ...found, until: performance.now() + REMEMBER_MS });
    return found;
  }

  async function signedIn(c: Context<HttpEnv>, network: Client): Promise<Client | undefined> {
    const token = tokenOf(c);
    const secret = token ?? readCookie(c, services, SESSION_COOKIE);
    if (secret === undefined) return undefined;
    const read = () => (token === undefined ? sessionOf(c, services) : authenticate(database, token, CLIENT_ID));
    const found = await find(secret, network, read);
    if (found === null) return undefined;
    return found.isRunner && token !== undefined && c.req.path.startsWith("/api/v1/runner/")
      ? null
      : `account ${found.accountId}`;
  }

  return async (c) => {
    const network = `network ${networkOf(addressOf(c, site))}`;
    // Invalid tokens and database errors are reported by the route, if it needs an account.
    const client = await signedIn(c, network).catch(() => undefined);
    return client === undefined ? network : client;
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
