/**
 * The complete HTTP server over an open database, for tests and screenshots: as a function, and with `listening` on a
 * socket.
 */
import { join } from "node:path";
import { createClient, type Client } from "@kernelbot/api";
import type { Hono } from "hono";
import { openDirectoryStore } from "@kernelbot/server/src/artifacts/directory.ts";
import type { ObjectStore } from "@kernelbot/server/src/artifacts/store.ts";
import { guardClients } from "@kernelbot/server/src/http/clients/guard.ts";
import { NO_CLIENT_LIMITS, type ClientLimits } from "@kernelbot/server/src/http/clients/limits.ts";
import { readCommand } from "@kernelbot/server/src/config.ts";
import { DEFAULT_EVALUATION_LIMITS, type EvaluationLimits } from "@kernelbot/server/src/evaluations/limits.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import type { Role, Scope } from "@kernelbot/server/src/auth/identity.ts";
import type { LauncherConfig } from "@kernelbot/server/src/integrations/launchers/config.ts";
import { openLog } from "@kernelbot/server/src/observe/log.ts";
import { openHealth } from "@kernelbot/server/src/operations/health.ts";
import { createAccount, issueToken } from "@kernelbot/server/src/auth/tokens.ts";
import { DEFAULT_POLICY, type RunnerPolicy } from "@kernelbot/server/src/runners/policy.ts";
import type { Discord } from "@kernelbot/server/src/integrations/discord/service.ts";
import { openEventHub } from "@kernelbot/server/src/live/event-hub.ts";
import { testSigner } from "./signer.ts";
import { createApp } from "@kernelbot/server/src/app.ts";
import { featuresWithout, PERSONAL_TABLES } from "@kernelbot/server/src/features.ts";
import type { FeatureOptions } from "@kernelbot/server/src/feature-options.ts";
import type { HttpEnv } from "@kernelbot/server/src/services.ts";
import { listen } from "@kernelbot/server/src/http/listen.ts";
import type { Site } from "@kernelbot/server/src/http/site.ts";

export interface TestServer extends AsyncDisposable {
  database: Database;
  /** Folder of the server's own problem sets. */
  problemsFolder: string;
  /** Folder of the artifact store. */
  storeFolder: string;
  store: ObjectStore;
  /** Folder of the snapshots. */
  datasets: string;
  /** Folder of the programs that the server offers. */
  downloads: string;
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

export interface TestServerOptions {
  listening?: boolean;
  archives?: string;
  site?: Partial<Site>;
  /** No limits by default. */
  clientLimits?: ClientLimits;
  evaluationLimits?: EvaluationLimits;
  /** Options of optional features, where they are not the defaults. */
  options?: Partial<FeatureOptions>;
  privateWebhooks?: boolean;
  launchers?: readonly LauncherConfig[];
  runners?: Partial<RunnerPolicy>;
  discord?: Discord;
  /** Names of the optional features that are switched off. */
  without?: readonly string[];
}

function defaultOptions(): FeatureOptions {
  const command = readCommand(["serve"], {});
  if (command.name !== "serve") throw new Error(command.name);
  return command.options;
}

/** Opens the test server. Disposing it closes the database too. */
export async function openServerWith(
  database: Database,
  { problemsFolder, storeFolder }: { problemsFolder: string; storeFolder: string },
  {
    listening = false,
    archives = "http://127.0.0.1:9",
    site = {},
    clientLimits = NO_CLIENT_LIMITS,
    evaluationLimits = DEFAULT_EVALUATION_LIMITS,
    options = {},
    privateWebhooks = false,
    launchers = [],
    runners = {},
    discord,
    without = [],
  }: TestServerOptions = {},
): Promise<TestServer> {
  const hub = await openEventHub(database);
  const logged: string[] = [];
  const log = openLog("debug", { write: (line: string) => void logged.push(line) });
  const closing = new AbortController();
  const store = await openDirectoryStore(storeFolder);
  const datasets = join(storeFolder, "datasets");
  const downloads = join(storeFolder, "downloads");
  const guard = guardClients(clientLimits, site.proxies ?? 0);
  const app = await createApp(
    {
      ...guard,
      database,
      store,
      datasets,
      downloads,
      hub,
      signer: await testSigner(database),
      log,
      personalTables: PERSONAL_TABLES,
      health: await openHealth(database, store, closing.signal),
      problemsFolder,
      archives,
      privateWebhooks,
      evaluationLimits,
      options: { ...defaultOptions(), ...options },
      runners: { ...DEFAULT_POLICY, ...runners },
      launchers,
      discord,
      closing: closing.signal,
      site: { proxies: 0, providers: [], ...site },
    },
    featuresWithout(without),
  );
  // Longer than a disk or a processor may stall on a busy machine.
  const listenOptions = { connections: guard.connections, graceMs: 30_000 };
  const socket = listening ? await listen(app, "127.0.0.1", 0, listenOptions) : undefined;
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
    downloads,
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
