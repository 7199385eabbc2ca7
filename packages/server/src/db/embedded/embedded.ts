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
import { findBinaries, type Binaries } from "./binaries.ts";
import { DATABASE_USER, ensureCluster, makeSocketDirectory, removeSocketDirectory, socketPath } from "./cluster.ts";
import { holdLock, type HeldLock } from "./lock.ts";
import { ownerOf, requireOwnFiles, requireReach, type Owner } from "./owner.ts";
import { findPostmaster, isPostmaster, type Postmaster } from "./postmaster.ts";

export interface Embedded {
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

const READY_MS = 60_000;
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
  const lock: HeldLock = await holdLock(connection, dataDir, log);
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
      stopPostmaster(postmaster, "SIGINT");
      const timer = setTimeout(() => stopPostmaster(postmaster, "SIGQUIT"), STOP_MS);
      await ended(postmaster, embedded.cluster);
      clearTimeout(timer);
      removeSocketDirectory(socketDirectory);
    },
  };
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
  const binaries = findBinaries(dataDir, owner);
  const logFile = join(dataDir, "postgres.log");
  return {
    cluster,
    async start(socketDirectory) {
      const running = findPostmaster(cluster);
      if (running !== undefined) {
        log(`adopting the running database, process ${running.pid}`);
        await answering(running.socketDirectory, () => isPostmaster(running.pid, cluster), logFile);
        return running;
      }
      if (!existsSync(join(cluster, "PG_VERSION"))) log(`creating a database in ${cluster}`);
      ensureCluster(cluster, binaries, owner);
      const directory = socketDirectory ?? makeSocketDirectory(dataDir, owner);
      const pid = await spawnPostgres(binaries, cluster, directory, owner, logFile);
      await answering(directory, () => isPostmaster(pid, cluster), logFile);
      return { pid, socketDirectory: directory };
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

async function answering(socketDirectory: string, alive: () => boolean, logFile: string): Promise<void> {
  const giveUpAt = Date.now() + READY_MS;
  for (;;) {
    const client = openClient(connectionTo(socketDirectory));
    try {
      await client.query("select 1");
      return;
    } catch (error) {
      if (alive() && Date.now() < giveUpAt) {
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

function stopPostmaster({ pid }: Postmaster, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}
