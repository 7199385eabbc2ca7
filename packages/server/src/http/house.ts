/**
 * The complete HTTP server over an open database, for tests and screenshots: as a function, and with `listening` on a
 * socket.
 */
import { join } from "node:path";
import { createClient, type Client } from "@kernelbot/core";
import type { Hono } from "hono";
import { openDirectoryStore } from "../artifacts/directory.ts";
import type { ObjectStore } from "../artifacts/store.ts";
import { guardClients } from "../clients/guard.ts";
import { NO_CLIENT_LIMITS, type ClientLimits } from "../clients/limits.ts";
import type { Database } from "../db/database.ts";
import type { Role, Scope } from "../db/identity.ts";
import type { PullRequestOptions } from "../kernelbench/pull-requests/options.ts";
import type { LauncherConfig } from "../launchers/config.ts";
import { openLog } from "../observe/log.ts";
import { openHealth } from "../operations/health.ts";
import { createAccount, issueToken } from "../people/tokens.ts";
import { DEFAULT_POLICY, type RunnerPolicy } from "../runners/policy.ts";
import type { Discord } from "../discord/service.ts";
import { openEventHub } from "../runs/event-hub.ts";
import { testSigner } from "../testing/signer.ts";
import { createApp } from "./app.ts";
import type { HttpEnv } from "./faces.ts";
import { listen } from "./listen.ts";
import type { Site } from "./site.ts";

export interface House extends AsyncDisposable {
  database: Database;
  /** Folder of the server's own problem sets. */
  problemsFolder: string;
  /** Folder of the artifact store. */
  storeFolder: string;
  store: ObjectStore;
  /** Folder of the snapshots. */
  datasets: string;
  app: Hono<HttpEnv>;
  /** Log output, as JSON lines. */
  logged: string[];
  /** Base URL; empty unless `listening`. */
  url: string;
  /**
   * Issues a token of the named account, which is created on first use. With the scope `admin`, a new account is an
   * administrator unless `roles` is given.
   */
  token(name: string, scopes?: Scope[], targets?: string[], roles?: Role[]): Promise<string>;
  /** Sends a request to the app with the token. */
  ask(path: string, token?: string, init?: RequestInit): Promise<Response>;
  client(token: string): Client;
  /** Ends streams, long polls and the socket, as a server does when it stops. */
  stop(): Promise<void>;
}

export interface HouseOptions {
  listening?: boolean;
  archives?: string;
  site?: Partial<Site>;
  /** No limits by default. */
  clientLimits?: ClientLimits;
  privateWebhooks?: boolean;
  pullRequests?: PullRequestOptions;
  launchers?: readonly LauncherConfig[];
  runners?: Partial<RunnerPolicy>;
  discord?: Discord;
}

/** Opens the test server. Disposing it closes the database too. */
export async function houseAround(
  database: Database,
  { problemsFolder, storeFolder }: { problemsFolder: string; storeFolder: string },
  {
    listening = false,
    archives = "http://127.0.0.1:9",
    site = {},
    clientLimits = NO_CLIENT_LIMITS,
    privateWebhooks = false,
    pullRequests,
    launchers = [],
    runners = {},
    discord,
  }: HouseOptions = {},
): Promise<House> {
  const hub = await openEventHub(database);
  const logged: string[] = [];
  const log = openLog("debug", { write: (line: string) => void logged.push(line) });
  const closing = new AbortController();
  const store = await openDirectoryStore(storeFolder);
  const datasets = join(storeFolder, "datasets");
  const guard = guardClients(clientLimits, site.proxies ?? 0);
  const app = await createApp({
    ...guard,
    database,
    store,
    datasets,
    hub,
    signer: await testSigner(database),
    log,
    health: await openHealth(database, store, closing.signal),
    problemsFolder,
    archives,
    privateWebhooks,
    runners: { ...DEFAULT_POLICY, ...runners },
    pullRequests,
    launchers,
    discord,
    closing: closing.signal,
    site: { proxies: 0, providers: [], ...site },
  });
  const socket = listening ? await listen(app, "127.0.0.1", 0, { connections: guard.connections }) : undefined;
  const accounts = new Map<string, string>();

  async function stop(): Promise<void> {
    closing.abort();
    await socket?.close();
  }

  return {
    database,
    problemsFolder,
    storeFolder,
    store,
    datasets,
    app,
    logged,
    url: socket?.url ?? "",
    async token(
      name,
      scopes = ["submit", "read"],
      targets = [],
      roles = scopes.includes("admin") ? ["administrator"] : [],
    ) {
      const accountId = accounts.get(name) ?? (await createAccount(database, name, roles)).id;
      accounts.set(name, accountId);
      return issueToken(database, { accountId, label: "test", scopes, targets });
    },
    ask: async (path, token, init = {}) => {
      const headers = new Headers(init.headers);
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      return app.request(path, { ...init, headers });
    },
    client: (token) => createClient({ server: socket?.url ?? "", token }),
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await hub.close();
      await database.close();
    },
  };
}
