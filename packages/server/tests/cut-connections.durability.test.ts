/**
 * Connections to the database that break at random moments while every route is called and everything that runs in the
 * background does: each request is answered, no promise is left without a handler (which fails the test run), and
 * afterwards the server works.
 */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { testDatabase } from "@kernelbot/testing/database.ts";
import { openFakeDiscord } from "@kernelbot/testing/discord/fake-discord.ts";
import { problemFiles, problemTree, request } from "@kernelbot/testing/fixtures.ts";
import { startFreezingRelay, type FreezingRelay } from "@kernelbot/testing/freezing-relay.ts";
import { openServerWith, type TestServer } from "@kernelbot/testing/server.ts";
import { testSigner } from "@kernelbot/testing/signer.ts";
import { TEMPLATE_WITH_PROBLEMS } from "@kernelbot/testing/template.ts";
import { readCommand } from "../src/config.ts";
import { openDatabase, type Database } from "../src/db/database.ts";
import type { StartingServer } from "../src/feature.ts";
import { FEATURES, PERSONAL_TABLES } from "../src/features.ts";
import { HOUR_MS } from "../src/jobs/intervals.ts";
import { startPeriodicJobs, type PeriodicJob } from "../src/jobs/periodic.ts";
import { openLog } from "../src/observe/log.ts";
import { openBackupFolder } from "../src/operations/backups/folder.ts";
import { backUpWhenDue, type BackupSchedule } from "../src/operations/backups/schedule.ts";
import { listComplete } from "../src/operations/backups/restore.ts";
import { Random } from "./generated/random.ts";
import { ApiDocument, requestBy, waysOf, wayTo, type Asked } from "./generated/requests.ts";

const SEED = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const REQUESTS = 240;
const AT_ONCE = 4;
const EXPORTS = 9;
const BACKUPS = 6;
const EXPORT = "/api/v1/account/export";
const LIMITS = { statementMs: 60_000, silenceMs: 60_000 };

test(`requests and background work end while connections to the database are cut (SEED=${SEED})`, async () => {
  await using home = await testDatabase(TEMPLATE_WITH_PROBLEMS);
  await using relay = await startFreezingRelay(home);
  await using fake = await openFakeDiscord();
  const database = await openDatabase({ url: relay.url, limits: LIMITS });
  const storeFolder = mkdtempSync(join(inject("scratch"), "cut-"));
  const problemsFolder = problemTree({ "set/double": problemFiles() });
  await using server = await openServerWith(database, { problemsFolder, storeFolder });
  const token = await server.token("ann", ["submit", "read", "account", "admin"]);
  const other = await server.token("eve", ["account"]);
  await using background = await startBackground(server, {
    KERNELBOT_DISCORD_BOT_TOKEN: fake.options.botToken,
    KERNELBOT_DISCORD_APPLICATION_ID: fake.options.applicationId,
    KERNELBOT_DISCORD_PUBLIC_KEY: fake.options.publicKey ?? "",
    KERNELBOT_DISCORD_API_URL: fake.options.apiUrl,
    KERNELBOT_PUBLIC_URL: "https://kernels.example.org",
  });
  const random = new Random(SEED);
  const requests = await generate(server, random);
  const folder = openBackupFolder(join(storeFolder, "backups"), {}, "--backup-to");
  const schedule: BackupSchedule = {
    ...{ folder, everyHours: 1, atMinutes: 0, keep: 2, testEveryDays: 0 },
    ...{ store: server.store, dataDir: storeFolder },
  };

  const [answered] = await Promise.all([
    send(server, token, requests, () => relay.cut(random.below(100))),
    download(server, token, relay, random),
    backUp(database, schedule, relay, random),
  ]);
  await background.stop();
  expect(answered, server.logged.filter((line) => line.includes("request failed")).join("")).toBe(requests.length);

  const submitted = await server.ask("/api/v1/submissions", token, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request()),
  });
  expect(submitted.status).toBe(202);
  // Another account: this one may have exported itself as often as an hour allows.
  const exported = await server.ask(EXPORT, other);
  expect(Buffer.from(await exported.bytes()).toString("latin1", 0, 2)).toBe("PK");
  await backUpWhenDue(database, schedule, new Date(Date.now() + 1000 * HOUR_MS));
  expect(await listComplete(folder)).not.toEqual([]);
});

/** Starts the background work of every feature, each job once a second, as a server with these settings does. */
async function startBackground({ database, store, storeFolder }: TestServer, env: NodeJS.ProcessEnv) {
  const command = readCommand(["serve", "--sample-suite", "no"], env);
  if (command.name !== "serve") throw new Error("not the command serve");
  await using open = new AsyncDisposableStack();
  const server: StartingServer = {
    ...{
      database,
      store,
      signer: await testSigner(database),
      log: openLog("silent", { write: () => undefined }),
      personalTables: PERSONAL_TABLES,
    },
    ...{ options: command.options, dataDir: storeFolder, patiently: (step) => step() },
  };
  const jobs: PeriodicJob[] = [];
  for (const feature of FEATURES) {
    jobs.push(...((await feature.jobs?.(server)) ?? []));
    const started = await feature.start?.(server);
    if (started?.stop !== undefined) open.defer(started.stop);
  }
  const periodic = startPeriodicJobs(
    database,
    jobs.map((job) => ({ ...job, everyMs: 0 })),
  );
  open.defer(() => periodic.stop());
  const all = open.move();
  return { stop: () => all.disposeAsync(), [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Generates requests to every route of the API, and to every page. */
async function generate(server: TestServer, random: Random): Promise<Asked[]> {
  const document = ApiDocument.parse(await (await server.ask("/api/v1/openapi.json")).json());
  const pages = server.app.routes.filter(({ method, path }) => method === "GET" && !path.startsWith("/api/v1/"));
  const described = waysOf(document).filter(({ path }) => !/stop|sign-out|revoke|erase/.test(path));
  const others = pages.map(({ method, path }) => wayTo(method, path));
  const known = { words: ["double", "triple", "cpu", "test", "ann"], numbers: [1] };
  return random.list(REQUESTS, () => {
    const way = random.pick(random.pick([described, others]));
    return requestBy(random, way, document.components.schemas, known, 0);
  });
}

/** Sends the requests. @returns how many were answered: a lost connection is never the caller's fault, and never a bug. */
async function send({ app }: TestServer, token: string, requests: readonly Asked[], before: () => void) {
  const left = [...requests];
  let answered = 0;
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      before();
      const headers = new Headers(one.headers);
      headers.set("authorization", `Bearer ${token}`);
      const { method, path, body } = one;
      const response = await app.request(path, { method, headers, ...(body !== undefined && { body }) });
      await response.body?.cancel();
      if (response.status !== 500) answered += 1;
    }
  });
  await Promise.all(workers);
  return answered;
}

/** Downloads exports of the account, which arrive or break off. */
async function download(server: TestServer, token: string, relay: FreezingRelay, random: Random): Promise<void> {
  for (let count = 0; count < EXPORTS; count += 1) {
    const response = await server.ask(EXPORT, token);
    relay.cut(random.below(100));
    await response.bytes().catch(() => undefined);
  }
}

/** Makes backups, each an hour after the one before, which succeed or fail. */
async function backUp(database: Database, schedule: BackupSchedule, relay: FreezingRelay, random: Random) {
  for (let hour = 0; hour < BACKUPS; hour += 1) {
    const making = backUpWhenDue(database, schedule, new Date(Date.now() + 2 * hour * HOUR_MS));
    relay.cut(random.below(100));
    await making.catch(() => undefined);
  }
}
