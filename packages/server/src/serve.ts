/** `kernelbot-server serve`: opens database, features and HTTP server, and closes them in reverse order. */
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pino } from "pino";
import { createApp } from "./app.ts";
import { openDirectoryStore } from "./artifacts/directory.ts";
import { openS3Store } from "./artifacts/s3/s3.ts";
import { ensureOperator } from "./auth/operator.ts";
import { warmUpThreads } from "./compute/pool.ts";
import { defaultDataDir, type ServeOptions } from "./config.ts";
import { catchCrashes } from "./crash.ts";
import { openDatabase } from "./db/database.ts";
import { deleteAbandonedFolders } from "./db/embedded/temporary.ts";
import { setResponsiveTimeout } from "./db/responsive-timer.ts";
import { retryAtStart } from "./db/retry-at-start.ts";
import { DOWNLOADS } from "./downloads/downloads.ts";
import type { Feature, StartingServer } from "./feature.ts";
import { featuresWithout, PERSONAL_TABLES } from "./features.ts";
import { guardClients } from "./http/clients/guard.ts";
import { inheritedSocket, listen } from "./http/listen.ts";
import { SECOND_MS } from "./jobs/intervals.ts";
import { startPeriodicJobs, type PeriodicJob } from "./jobs/periodic.ts";
import { openEventHub } from "./live/event-hub.ts";
import { logMilestones, openLog } from "./observe/log.ts";
import { countMilestones } from "./observe/metrics.ts";
import { openHealth } from "./operations/health.ts";
import { measureStore } from "./operations/measured-store.ts";
import { createOperatorsApp } from "./operations/routes/operators.ts";
import { openSigner } from "./runs/signer.ts";
import type { AppResources } from "./services.ts";
import { readSigningKey } from "./signing-key.ts";
import { welcomeText } from "./welcome.ts";

/** Timeout of a shutdown, in milliseconds; committed data is safe in any case. */
const STOP_MS = 20_000;

/** The longest statements are those of imports. An unresponsive database is noticed within another second. */
const DATABASE_LIMITS = { statementMs: 60_000, silenceMs: 4000 };

/** Serves until SIGTERM or SIGINT. @throws KernelBotError if the server cannot start, after closing what was open. */
export async function serve(options: ServeOptions): Promise<void> {
  const log = openLog(options.log, pino.destination({ dest: 2, sync: true }));
  const stop = stopSignal(options.drain * SECOND_MS, catchCrashes(log));
  await using open = new AsyncDisposableStack();
  open.defer(logMilestones(log));
  open.defer(countMilestones());
  const waiting = new AbortController();
  void stop.then(() => waiting.abort());

  const server = await openServer(options, log, waiting.signal, open);
  const { database, patiently } = server;
  const createdOperator = await patiently(() => ensureOperator(database));
  const features = featuresWithout(options.without);
  for (const { prepare } of features) await prepare?.(server);
  const jobs = startPeriodicJobs(database, await jobsOf(features, server));
  open.defer(() => jobs.stop());
  const provided: Partial<AppResources> = {};
  for (const feature of features) {
    const started = await feature.start?.(server);
    if (started?.stop !== undefined) open.defer(started.stop);
    Object.assign(provided, started?.provides);
  }

  const stopping = new AbortController();
  const inherited = inheritedSocket(process.env);
  const url = await answer(features, server, provided, { inherited, stopping: stopping.signal }, open);
  for (const { listening } of features) if (listening !== undefined) open.defer(await listening(server, url));

  const started = { createdOperator, url, hasInheritedSocket: inherited !== undefined };
  console.log(await patiently(() => welcomeText(database, options, started)));
  console.log(`KernelBot is ready at ${url} (Ctrl-C stops it)`);
  log.info({ url }, "ready");
  warmUpThreads();
  giveBackMemory();
  await stop;
  console.log("stopping");
  stopping.abort();
  await pause(options.drain * SECOND_MS);
}

/** Opens the database, the store and the keys. @param waiting Ends the wait for a database that is not available. */
async function openServer(
  options: ServeOptions,
  log: AppResources["log"],
  waiting: AbortSignal,
  open: AsyncDisposableStack,
): Promise<StartingServer> {
  const dataDir = options.data ?? defaultDataDir(process.env);
  const { databaseUrl: url, s3 } = options;
  const database = await openDatabase({ url, dataDir, log: say, limits: DATABASE_LIMITS, waiting });
  open.defer(() => database.close());
  await deleteAbandonedFolders(dataDir, say);
  const patiently = <T>(step: () => Promise<T>): Promise<T> => retryAtStart(step, say, waiting);
  const signingKey = await readSigningKey(options);
  const signer = await patiently(() => openSigner(database, signingKey));
  const store = s3 === undefined ? await openDirectoryStore(join(dataDir, "artifacts")) : openS3Store(s3);
  return {
    ...{ database, store: measureStore(store), signer, log, options, dataDir, patiently },
    personalTables: PERSONAL_TABLES,
  };
}

async function jobsOf(features: readonly Feature[], server: StartingServer): Promise<PeriodicJob[]> {
  const all: PeriodicJob[] = [];
  for (const { jobs } of features) all.push(...((await jobs?.(server)) ?? []));
  return all;
}

/** Answers requests, and those of operators at their own address. @returns the URL from this machine. */
async function answer(
  features: readonly Feature[],
  { options, dataDir, patiently: _, ...resources }: StartingServer,
  provided: Partial<AppResources>,
  { inherited, stopping }: { inherited: ReturnType<typeof inheritedSocket>; stopping: AbortSignal },
  open: AsyncDisposableStack,
): Promise<string> {
  const { database, store, log } = resources;
  const hub = await openEventHub(database);
  open.defer(() => hub.close());
  const closing = new AbortController();
  const health = await openHealth(database, store, stopping);
  const guard = guardClients(options.clientLimits, options.proxies);
  const app = await createApp(
    {
      ...guard,
      ...resources,
      hub,
      health,
      datasets: join(dataDir, "datasets"),
      downloads: DOWNLOADS,
      problemsFolder: options.problems,
      archives: options.archives,
      evaluationLimits: options.evaluationLimits,
      options,
      privateWebhooks: options.privateWebhooks,
      runners: { hardware: options.targetHardware, canaryEveryMs: options.canaryEvery, boundOf: options.canaryBound },
      launchers: options.launchers,
      discord: undefined,
      closing: closing.signal,
      site: options,
      ...provided,
    },
    features,
  );
  const { connections } = guard;
  const server = await listen(app, options.host, options.port, { connections, inherited });
  open.defer(async () => {
    closing.abort();
    await server.close();
  });
  if (options.operators !== undefined) {
    const { host, port } = options.operators;
    const operators = await listen(createOperatorsApp(database, health, log, dataDir), host, port);
    open.defer(() => operators.close());
    console.log(`for operators: ${operators.url}/metrics`);
  }
  return server.url;
}

/** Resolves at the first signal or crash. A later signal, or exceeding the timeout, ends the process immediately. */
async function stopSignal(drainMs: number, crashed: Promise<void>): Promise<void> {
  await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT"), crashed]);
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(1));
  setResponsiveTimeout(() => {
    console.error(`graceful shutdown timed out after ${STOP_MS / SECOND_MS} s; ending`);
    process.exit(1);
  }, drainMs + STOP_MS);
}

/**
 * Collects garbage of the startup, about a third of the process's memory, which V8 would otherwise keep until it needs
 * the space.
 */
function giveBackMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options: { type: "major"; flavor: "last-resort" }) => void;
  collect({ type: "major", flavor: "last-resort" });
}

function say(sentence: string): void {
  console.log(sentence);
}
