/**
 * The embedded PostgreSQL: started, or adopted when a killed server left it running; supervised, restarted when it
 * ends, and stopped with the server.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync } from "node:fs";
import { totalmem } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { KernelBotError } from "@kernelbot/core";
import { openClient, type Connection } from "../client.ts";
import type { Log } from "../log.ts";
import { setResponsiveTimeout } from "../responsive-timer.ts";
import { isConnectionError } from "../retry.ts";
import { findBinaries, type Binaries } from "./binaries.ts";
import { DATABASE_USER, ensureCluster, makeSocketDirectory, removeSocketDirectory, socketPath } from "./cluster.ts";
import { holdLock, type HeldLock } from "./lock.ts";
import { ownerOf, requireOwnFiles, requireReach, type Owner } from "./owner.ts";
import { findPostmaster, isPostmaster, type Postmaster } from "./postmaster.ts";
import { deleteUnfinished } from "./unfinished.ts";

interface Embedded {
  readonly connection: Extract<Connection, { path: string }>;
  readonly socketDirectory: string;
  /** Shuts PostgreSQL down; committed data is kept. */
  stop(): Promise<void>;
}

/**
 * `shared_buffers`: one sixteenth of the machine's memory, between 64 MB and 1 GB. The operating system allocates only
 * the pages that are used.
 */
const BUFFERS_MB = Math.min(1024, Math.max(64, Math.round(totalmem() / 16 / 2 ** 20)));

/** Small memory settings that suit a laptop. Durability is not reduced: fsync and synchronous_commit stay on. */
const SETTINGS = {
  listen_addresses: "",
  shared_buffers: `${BUFFERS_MB}MB`,
  // No replica reads this cluster, so the minimal WAL suffices.
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "1GB",
  checkpoint_timeout: "15min",
  jit: "off",
  log_checkpoints: "off",
  // Statements contain participants' sources, so only the error is logged.
  log_min_error_statement: "panic",
};

/** Interval at which a start that takes long is logged: a slow machine, or a recovery after a crash. */
const SLOW_MS = 10_000;
const STOP_MS = 30_000;
const POLL_MS = 100;

/**
 * Starts or adopts the PostgreSQL of a data folder.
 * @throws KernelBotError that says what to do: another server uses the folder, or the folder cannot be used.
 */
export async function startEmbedded(dataDir: string, log: Log): Promise<Embedded> {
  const embedded = prepare(dataDir, log);
  let postmaster = await embedded.start();
  const { socketDirectory } = postmaster;
  const connection = connectionTo(socketDirectory);
  const lock = await lockCluster(postmaster, embedded.cluster, () => holdLock(connection, dataDir, log));
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  const supervised = (async () => {
    for (;;) {
      await ended(postmaster, embedded.cluster, isStopping);
      if (isStopping()) return;
      log("the database exited unexpectedly; restarting it");
      const started = await again(() => embedded.start(socketDirectory), log, isStopping);
      if (started === undefined) return;
      postmaster = started;
      log("the database has restarted");
    }
  })();
  return {
    connection,
    socketDirectory,
    async stop() {
      stopping.abort();
      await supervised;
      await lock.release();
      await stopPostmaster(postmaster, embedded.cluster);
    },
  };
}

/** Takes the lock of the data folder. Without it, PostgreSQL is stopped, unless another server uses it. */
async function lockCluster(postmaster: Postmaster, cluster: string, lock: () => Promise<HeldLock>): Promise<HeldLock> {
  for (;;) {
    try {
      return await lock();
    } catch (error) {
      if (isConnectionError(error) && isPostmaster(postmaster.pid, cluster)) {
        await pause(POLL_MS);
        continue;
      }
      const isUsed = error instanceof KernelBotError && error.code === "conflict";
      if (!isUsed) await stopPostmaster(postmaster, cluster);
      throw error;
    }
  }
}

interface Prepared {
  cluster: string;
  /** Starts or adopts PostgreSQL. Resolves once it answers. */
  start(socketDirectory?: string): Promise<Postmaster>;
}

function prepare(path: string, log: Log): Prepared {
  mkdirSync(resolve(path), { recursive: true });
  const dataDir = realpathSync(path);
  const cluster = join(dataDir, "postgres");
  const owner = ownerOf(cluster);
  requireReach(dataDir, owner);
  requireOwnFiles(cluster, owner);
  deleteUnfinished(dataDir);
  const binaries = findBinaries(dataDir, owner);
  const logFile = join(dataDir, "postgres.log");
  return {
    cluster,
    async start(socketDirectory) {
      const running = findPostmaster(cluster);
      if (running !== undefined) {
        log(`adopting the running database, process ${running.pid}`);
        await answering(running, cluster, logFile, log);
        return running;
      }
      if (!existsSync(join(cluster, "PG_VERSION"))) log(`creating a database in ${cluster}`);
      ensureCluster(cluster, binaries, owner);
      const directory = socketDirectory ?? makeSocketDirectory(dataDir, owner);
      const pid = await spawnPostgres(binaries, cluster, directory, owner, logFile);
      const started = { pid, socketDirectory: directory };
      await answering(started, cluster, logFile, log);
      return started;
    },
  };
}

async function spawnPostgres(
  binaries: Binaries,
  cluster: string,
  socketDirectory: string,
  owner: Owner | undefined,
  logFile: string,
): Promise<number> {
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const output = openSync(logFile, "a", 0o600);
  try {
    const child = spawn(binaries.postgres, ["-D", cluster, "-k", socketDirectory, ...settings], {
      ...owner,
      cwd: "/",
      env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" },
      stdio: ["ignore", output, output],
      // In its own process group: Ctrl-C in the terminal must reach only the server, which stops the database last.
      detached: true,
    });
    await once(child, "spawn");
    child.unref();
    return child.pid as number;
  } finally {
    closeSync(output);
  }
}

function connectionTo(socketDirectory: string): Embedded["connection"] {
  return { path: socketPath(socketDirectory), user: DATABASE_USER, database: "postgres" };
}

/** Waits until PostgreSQL answers, for as long as it runs. @throws KernelBotError with the end of its log when it ends. */
async function answering(postmaster: Postmaster, cluster: string, logFile: string, log: Log): Promise<void> {
  const startedAt = performance.now();
  let logAt = startedAt + SLOW_MS;
  for (;;) {
    const client = openClient(connectionTo(postmaster.socketDirectory));
    try {
      await client.query("select 1");
      return;
    } catch (error) {
      if (isPostmaster(postmaster.pid, cluster)) {
        if (performance.now() > logAt) {
          logAt += SLOW_MS;
          const seconds = Math.round((performance.now() - startedAt) / 1000);
          log(`the database has been starting for ${seconds} s: ${(error as Error).message}; see ${logFile}`);
        }
        await pause(20);
        continue;
      }
      const logTail = readFileSync(logFile, "utf8").trim().split("\n").slice(-5).join("\n");
      throw new KernelBotError("unavailable", `the database failed to start; ${logFile} ends with:\n${logTail}`, {
        cause: error,
      });
    } finally {
      await client.end(0);
    }
  }
}

/**
 * Retries until PostgreSQL starts; returns undefined when the server stops first. The first tries may fail, because
 * processes of the ended PostgreSQL keep its shared memory for a moment.
 */
async function again(
  start: () => Promise<Postmaster>,
  log: Log,
  isStopping: () => boolean,
): Promise<Postmaster | undefined> {
  for (let tries = 1; !isStopping(); tries += 1) {
    try {
      return await start();
    } catch (error) {
      if (tries % 20 === 0) log(error instanceof Error ? error.message : String(error));
      await pause(POLL_MS);
    }
  }
  return undefined;
}

/**
 * Resolves once the process has ended or `isOver` returns true. Polls, because an adopted process is not a child
 * process.
 */
async function ended({ pid }: Postmaster, cluster: string, isOver: () => boolean = () => false): Promise<void> {
  while (isPostmaster(pid, cluster) && !isOver()) await pause(POLL_MS);
}

/** Shuts PostgreSQL down, at once when it takes long: its next start recovers committed data. */
async function stopPostmaster(postmaster: Postmaster, cluster: string): Promise<void> {
  const send = (signal: NodeJS.Signals): void => {
    try {
      process.kill(postmaster.pid, signal);
    } catch {
      // The process has already ended.
    }
  };
  send("SIGINT");
  const cancel = setResponsiveTimeout(() => send("SIGQUIT"), STOP_MS);
  await ended(postmaster, cluster);
  cancel();
  removeSocketDirectory(postmaster.socketDirectory);
}

/** Stops the PostgreSQL of a cluster that a process which has ended left running, and keeps its files. */
export async function stopAbandoned(cluster: string): Promise<void> {
  const running = findPostmaster(cluster);
  if (running !== undefined) await stopPostmaster(running, cluster);
}
