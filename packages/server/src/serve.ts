/** `kernelbot-server serve`: opens database, background services and HTTP server, and closes them in reverse order. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { KernelBotError, quote } from "@kernelbot/core";
import { pino } from "pino";
import { openDirectoryStore } from "./artifacts/directory.ts";
import { openS3Store } from "./artifacts/s3/s3.ts";
import { deleteOldArtifacts } from "./artifacts/retention.ts";
import type { ObjectStore } from "./artifacts/store.ts";
import { startPeriodicJobs, type PeriodicJob } from "./jobs/periodic.ts";
import { guardClients } from "./http/clients/guard.ts";
import { notifyPhaseChanges } from "./competitions/phases.ts";
import { defaultDataDir, type ServeOptions } from "./config.ts";
import { datasetJobs } from "./dataset/jobs.ts";
import { openDatabase, type Database } from "./db/database.ts";
import { openDiscord, type Discord } from "./integrations/discord/service.ts";
import { createApp } from "./app.ts";
import { readBoardsAhead } from "./boards/routes/board-pages.ts";
import { inheritedSocket, listen } from "./http/listen.ts";
import { setServerLimits } from "./submissions/raised-limits.ts";
import { logMilestones, openLog } from "./observe/log.ts";
import { countMilestones } from "./observe/metrics.ts";
import { measureStore } from "./operations/measured-store.ts";
import { DOWNLOADS } from "./downloads/downloads.ts";
import { openBackupFolder, type BackupFolder } from "./operations/backups/folder.ts";
import { backupJobs, type BackupSchedule } from "./operations/backups/schedule.ts";
import { openHealth } from "./operations/health.ts";
import { createOperatorsApp } from "./operations/routes/operators.ts";
import { discoverIssuer } from "./auth/oidc.ts";
import { openMailer } from "./auth/email/mailer.ts";
import { fillSkeletons } from "./auth/lookalikes.ts";
import { ensureOperator } from "./auth/operator.ts";
import { openHuggingFace } from "./integrations/huggingface/hugging-face.ts";
import { leaseSweep } from "./queue/expired-leases.ts";
import { applyGroupRules, expireGroups } from "./auth/groups.ts";
import { deleteExpiredSignIns } from "./auth/delete-expired.ts";
import { deleteOldEvaluations } from "./evaluations/delete-old.ts";
import { expireEvaluations } from "./evaluations/end.ts";
import { EVALUATE_MS, evaluateEntries } from "./kernelbench/evaluate.ts";
import { judgeSampleEntry, offerSampleSuite, SAMPLE_MS } from "./kernelbench/sample.ts";
import { startPullRequests } from "./integrations/github/pull-requests/service.ts";
import { createLocalToken } from "./integrations/launchers/local-token.ts";
import { startLocalRunner } from "./integrations/launchers/local.ts";
import { startLaunchers } from "./integrations/launchers/service.ts";
import { CHECK_IN_USE_MS, checkFirstInUse } from "./moderation/check-in-use.ts";
import { CONFIRM_MS, confirmTop } from "./moderation/rerun.ts";
import { storeFingerprints } from "./moderation/similar.ts";
import { deleteErasedContents, deleteOldContents } from "./personal-data/delete-contents.ts";
import { syncProblems } from "./problems/sync.ts";
import { openEventHub } from "./live/event-hub.ts";
import { forgetRunners } from "./runners/presence.ts";
import { recordStartingRunner } from "./queue/availability.ts";
import { openSigner } from "./runs/signer.ts";
import { readSigningKey } from "./signing-key.ts";
import { startScores } from "./lti/send.ts";
import { startWebhooks } from "./webhooks/service.ts";
import { welcomeText } from "./welcome.ts";

/** Timeout of a shutdown, in milliseconds; committed data is safe in any case. */
const STOP_MS = 20_000;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Maximum delay until watchers of a board are notified of a freeze or reveal, in milliseconds. */
const PHASES_MS = 2000;

/** The longest statements are those of imports. An unresponsive database is noticed within another second. */
const DATABASE_LIMITS = { statementMs: 60_000, silenceMs: 4000 };

/** Serves until SIGTERM or SIGINT. @throws KernelBotError if the server cannot start, after closing what was open. */
export async function serve(options: ServeOptions): Promise<void> {
  const stop = stopSignal(options.drain * SECOND_MS);
  await using open = new AsyncDisposableStack();
  const log = openLog(options.log, pino.destination({ dest: 2, sync: true }));
  open.defer(logMilestones(log));
  open.defer(countMilestones());
  const dataDir = options.data ?? defaultDataDir(process.env);
  const { backupTo } = options;
  const backups = backupTo === undefined ? undefined : openBackupFolder(backupTo, process.env, "--backup-to");
  const waiting = new AbortController();
  void stop.then(() => waiting.abort());
  const database = await openDatabase({
    url: options.databaseUrl,
    dataDir,
    log: say,
    limits: DATABASE_LIMITS,
    waiting: waiting.signal,
  });
  open.defer(() => database.close());
  const signer = await openSigner(database, await readSigningKey(options));
  await fillSkeletons(database);
  const createdOperator = await ensureOperator(database);
  const issuer = options.providers.find((provider) => provider.name === "oidc");
  await applyGroupRules(database, issuer?.groups ?? null);
  await setServerLimits(database, options.limits);
  await takeProblems(database, options.problems);
  const offersSample = options.sampleSuite && (await offerSuite(database));
  const store = measureStore(
    options.s3 === undefined ? await openDirectoryStore(join(dataDir, "artifacts")) : openS3Store(options.s3),
  );
  const { s3 } = options;
  const snapshots = s3 && measureStore(openS3Store({ ...s3, prefix: `${s3.prefix}snapshots/` }));
  const keptMs = options.keepArtifacts * DAY_MS;
  const publishTo = options.huggingFace === undefined ? [] : [openHuggingFace(options.huggingFace)];
  const jobs = startPeriodicJobs(database, [
    leaseSweep(database),
    { name: "delete old artifacts", everyMs: MINUTE_MS, run: () => deleteOldArtifacts(database, store, keptMs) },
    { name: "expire evaluations", everyMs: SECOND_MS, long: true, run: () => expireEvaluations(database) },
    {
      name: "delete old evaluations",
      everyMs: MINUTE_MS,
      long: true,
      run: () => deleteOldEvaluations(database, store, options.keepEvaluations * DAY_MS),
    },
    {
      name: "delete erased contents",
      everyMs: 5 * SECOND_MS,
      long: true,
      run: () => deleteErasedContents(database, signer),
    },
    ...(options.keepUnranked === undefined ? [] : [oldContentsJob(database, options.keepUnranked)]),
    // Expired rows are rejected anyway, so deleting them can wait.
    { name: "sweep sign-ins", everyMs: MINUTE_MS, run: () => deleteExpiredSignIns(database) },
    ...(issuer === undefined
      ? []
      : [{ name: "expire groups", everyMs: MINUTE_MS, run: () => expireGroups(database, issuer.maxHours) }]),
    ...(options.rerunTop > 0
      ? [{ name: "confirm top", everyMs: CONFIRM_MS, run: () => confirmTop(database, options.rerunTop) }]
      : []),
    { name: "check in use", everyMs: CHECK_IN_USE_MS, run: () => checkFirstInUse(database) },
    { name: "tell phases", everyMs: PHASES_MS, run: () => notifyPhaseChanges(database) },
    {
      name: "evaluate entries",
      everyMs: EVALUATE_MS,
      long: true,
      run: (signal: AbortSignal) => evaluateEntries(database, { signal }),
    },
    ...(offersSample
      ? [{ name: "judge sample entry", everyMs: SAMPLE_MS, run: () => judgeSampleEntry(database) }]
      : []),
    { name: "forget runners", everyMs: HOUR_MS, run: () => forgetRunners(database) },
    {
      name: "read boards ahead",
      everyMs: Infinity,
      long: true,
      run: (signal: AbortSignal) => readBoardsAhead(database, signal),
    },
    // A source of 1 MB takes 0.5 s on another thread.
    { name: "store fingerprints", everyMs: 0, long: true, run: () => storeFingerprints(database) },
    ...datasetJobs(database, options, join(dataDir, "datasets"), store, snapshots, publishTo),
    ...(backups === undefined ? [] : backupJobs(database, backupSchedule(options, backups, store, dataDir))),
  ]);
  open.defer(() => jobs.stop());
  open.defer(startScores(database, (bytes) => signer.sign(bytes)));
  open.defer(startWebhooks(database, { allowPrivate: options.privateWebhooks }));
  if (options.pullRequests !== undefined && options.publicUrl !== undefined) {
    open.defer(await startPullRequests(database, options.pullRequests, options.publicUrl));
  }
  const discord = await startDiscord(database, options, store);
  if (discord !== undefined) open.defer(() => discord.close());
  const hub = await openEventHub(database);
  open.defer(() => hub.close());

  const stopping = new AbortController();
  const closing = new AbortController();
  const health = await openHealth(database, store, stopping.signal);
  const guard = guardClients(options.clientLimits, options.proxies);
  for (const provider of options.providers) {
    // Reports a wrong address at the start; the button tries again.
    if (provider.name === "oidc")
      void discoverIssuer(provider).catch((err: unknown) => log.warn({ err }, "issuer not reached"));
  }
  const mailer = options.mail && (await openMailer(options.mail, log));
  if (mailer !== undefined) open.defer(() => mailer.close());
  const app = await createApp({
    ...guard,
    database,
    store,
    datasets: join(dataDir, "datasets"),
    downloads: DOWNLOADS,
    hub,
    signer,
    log,
    health,
    problemsFolder: options.problems,
    archives: options.archives,
    evaluationLimits: options.evaluationLimits,
    openEnvSessions: options.openenvSessions,
    privateWebhooks: options.privateWebhooks,
    runners: { hardware: options.targetHardware, canaryEveryMs: options.canaryEvery, boundOf: options.canaryBound },
    pullRequests: options.pullRequests,
    launchers: options.launchers,
    discord,
    closing: closing.signal,
    site: { ...options, mailer },
  });
  const inherited = inheritedSocket(process.env);
  const server = await listen(app, options.host, options.port, { connections: guard.connections, inherited });
  open.defer(async () => {
    closing.abort();
    await server.close();
  });
  if (options.operators !== undefined) {
    const { host, port } = options.operators;
    const operators = await listen(createOperatorsApp(database, health, log), host, port);
    open.defer(() => operators.close());
    console.log(`for operators: ${operators.url}/metrics`);
  }
  if (options.launchers.length > 0) {
    open.defer(await startLaunchers(database, options.launchers, options.publicUrl ?? server.url));
  }
  for (const target of options.localRunner) {
    // Distinguishes the servers of one database by host and data directory.
    const place = options.databaseUrl === undefined ? "" : `${hostname()}:${resolve(dataDir)}`;
    open.defer(await localRunner(database, server.url, { target, place }, options.unsafeNoSandbox));
  }

  const hasInheritedSocket = inherited !== undefined;
  console.log(await welcomeText(database, options, { createdOperator, url: server.url, hasInheritedSocket }));
  console.log(`KernelBot is ready at ${server.url} (Ctrl-C stops it)`);
  log.info({ url: server.url }, "ready");
  giveBackMemory();
  await stop;
  console.log("stopping");
  stopping.abort();
  await pause(options.drain * SECOND_MS);
}

function oldContentsJob(database: Database, days: number): PeriodicJob {
  const run = () => deleteOldContents(database, new Date(Date.now() - days * DAY_MS));
  return { name: "delete old contents", everyMs: HOUR_MS, long: true, run };
}

async function startDiscord(
  database: Database,
  { discord, publicUrl, problems: problemsFolder, archives, huggingFace }: ServeOptions,
  store: ObjectStore,
): Promise<Discord | undefined> {
  if (discord === undefined || publicUrl === undefined) return undefined;
  const hasHub = huggingFace !== undefined;
  return openDiscord({ database, store, publicUrl, problemsFolder, archives, hasHub }, discord);
}

function backupSchedule(
  { backupEvery, backupAt, backupKeep, backupWithoutObjects, restoreTestEvery }: ServeOptions,
  folder: BackupFolder,
  store: ObjectStore,
  dataDir: string,
): BackupSchedule {
  return {
    folder,
    everyHours: backupEvery,
    atMinutes: backupAt,
    keep: backupKeep,
    testEveryDays: restoreTestEvery,
    store: backupWithoutObjects ? null : store,
    dataDir,
  };
}

/** Syncs the problems of a folder. Invalid problems are reported on standard error and skipped. */
async function takeProblems(database: Database, folder: string): Promise<void> {
  if (!existsSync(folder)) throw new KernelBotError("bad_request", `--problems: folder ${quote(folder)} not found`);
  const { problems, broken, kept } = await syncProblems(database, folder, { keepForeign: true });
  for (const { name, message } of kept) console.error(`problem ${name} unchanged: ${message}`);
  for (const { path, message } of broken) console.error(`problem ${path} skipped: ${message}`);
  if (problems.length + kept.length === 0)
    console.error(`no problem found in ${folder}; expected SET/PROBLEM/task.yml`);
}

/** Offers the sample suite, and returns whether the server has it. A conflict is reported on standard error. */
async function offerSuite(database: Database): Promise<boolean> {
  try {
    return await offerSampleSuite(database);
  } catch (error) {
    if (!(error instanceof KernelBotError)) throw error;
    console.error(`the sample suite of KernelBench is not offered: ${error.message}`);
    return false;
  }
}

/** Resolves at the first signal. A second signal, or exceeding the timeout, ends the process immediately. */
async function stopSignal(drainMs: number): Promise<void> {
  await Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(1));
  setTimeout(() => {
    console.error(`graceful shutdown timed out after ${STOP_MS / SECOND_MS} s; ending`);
    process.exit(1);
  }, drainMs + STOP_MS).unref();
}

/** Starts a local runner. @returns a function that stops it. */
async function localRunner(
  database: Database,
  server: string,
  { target, place }: { target: string; place: string },
  unsafeNoSandbox: boolean,
): Promise<() => Promise<void>> {
  const { token, release } = await createLocalToken(database, target, place);
  recordStartingRunner(database, target);
  const log = (line: string): void => console.log(`[runner ${target}] ${line}`);
  const runner = startLocalRunner({ server, token, target, unsafeNoSandbox, log });
  return async () => {
    release();
    await runner.stop();
  };
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
