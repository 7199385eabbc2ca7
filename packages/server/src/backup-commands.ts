/**
 * `kernelbot-server backup` and `restore`. Backups can be made while servers are running; a restore needs an empty
 * destination.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { KernelBotError, quote } from "@kernelbot/core";
import { openDirectoryStore } from "./artifacts/directory.ts";
import { openS3Store } from "./artifacts/s3/s3.ts";
import type { ObjectStore } from "./artifacts/store.ts";
import { defaultDataDir, type BackupOptions, type RestoreOptions } from "./config.ts";
import { openPlace, type DatabasePlace } from "./db/database.ts";
import { DATABASE_USER } from "./db/embedded/cluster.ts";
import { findPostmaster } from "./db/embedded/postmaster.ts";
import { socketPath } from "./db/embedded/cluster.ts";
import { openBackupFolder } from "./operations/backups/folder.ts";
import { testRestore } from "./operations/backups/restore-test.ts";
import { backUp } from "./operations/backups/backup.ts";
import { restore } from "./operations/backups/restore.ts";

export async function backupTo(options: BackupOptions): Promise<void> {
  const dataDir = options.data ?? defaultDataDir(process.env);
  const folder = openBackupFolder(options.to, process.env, "--to");
  const place = await openRunning(dataDir, options.databaseUrl);
  try {
    const store = options.withoutObjects ? null : await openStore(dataDir, options);
    const { connection } = place;
    const made = await backUp({ folder, connection, store, datasets: join(dataDir, "datasets"), log });
    console.log(
      `backed up ${made.tables.length} tables, ${made.objects.length} objects and ${made.snapshots.length} snapshots to ${folder.address}`,
    );
    console.log("the key that signs receipts is not included: keep a copy of that file elsewhere");
  } finally {
    await place.close();
  }
}

export async function restoreFrom(options: RestoreOptions): Promise<void> {
  const dataDir = options.data ?? defaultDataDir(process.env);
  const folder = openBackupFolder(options.from, process.env, "--from");
  if (options.test) {
    const { manifest, tables, rows } = await testRestore({ folder, dataDir, log });
    const { createdAt, objects, snapshots } = manifest;
    console.log(
      `the backup of ${createdAt} can be restored: ${tables} tables with ${rows} rows, ${objects.length} objects and ` +
        `${snapshots.length} snapshots are equal`,
    );
    return;
  }
  const place = await openPlace({ url: options.databaseUrl, dataDir });
  try {
    const store = await openStore(dataDir, options);
    const { connection } = place;
    const was = await restore({ folder, connection, store, datasets: join(dataDir, "datasets"), log });
    console.log(
      `restored the backup of ${was.createdAt}; put the key that signs receipts in its place and start the server`,
    );
  } finally {
    await place.close();
  }
}

function openStore(dataDir: string, { s3 }: Pick<BackupOptions, "s3">): Promise<ObjectStore> {
  return s3 === undefined ? openDirectoryStore(join(dataDir, "artifacts")) : Promise.resolve(openS3Store(s3));
}

function log(line: string): void {
  console.log(line);
}

/**
 * Connects to the database of a running server by its socket. If no server is running, starts the database until
 * `close`.
 */
async function openRunning(dataDir: string, url: string | undefined): Promise<DatabasePlace> {
  if (url === undefined && !existsSync(join(dataDir, "postgres"))) {
    throw new KernelBotError(
      "bad_request",
      `the data directory ${quote(dataDir)} has no database to back up; name that of the server with --data, or set DATABASE_URL`,
    );
  }
  const running = url === undefined ? findPostmaster(join(dataDir, "postgres")) : undefined;
  if (running === undefined) return openPlace({ url, dataDir });
  const connection = { path: socketPath(running.socketDirectory), user: DATABASE_USER, database: "postgres" };
  return { connection, close: () => Promise.resolve() };
}
