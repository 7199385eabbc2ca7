/** Test of a backup: it is restored into a scratch database, read again and compared. */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { ObjectStore } from "../../artifacts/store.ts";
import { openClient, type Connection } from "../../db/client.ts";
import { copyOut } from "../../db/copy.ts";
import { openPlace } from "../../db/database.ts";
import type { Log } from "../../db/log.ts";
import { migrate } from "../../db/migrate.ts";
import { quoteName, type BackupManifest } from "./backup.ts";
import type { BackupFolder } from "./folder.ts";
import { damaged, restore } from "./restore.ts";
import { TableDigester } from "./table-digest.ts";

const PREFIX = "restore-test-";
/** Age after which a scratch folder was left by a process that was killed, in milliseconds. */
const STALE_MS = 24 * 60 * 60_000;

export interface RestoreTest {
  /** Folder of the backup. */
  folder: BackupFolder;
  /** Data directory of the server, in which the scratch database is created and deleted again. */
  dataDir: string;
  log: Log;
  /** Interrupts the test. */
  signal?: AbortSignal | undefined;
}

export interface TestedBackup {
  manifest: BackupManifest;
  tables: number;
  rows: number;
}

/**
 * Restores a backup into a new embedded PostgreSQL, compares number and hash of the rows of each table with the
 * manifest, computes the hash of each object, and applies the migrations of this version. Needs disk space for the
 * database and the snapshots; objects are not written.
 * @throws KernelBotError when the backup cannot be restored completely.
 */
export async function testRestore({ folder, dataDir, log, signal }: RestoreTest): Promise<TestedBackup> {
  // PostgreSQL's user must be able to enter the folder, and cannot list it.
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  await deleteStale(dataDir);
  const scratch = join(dataDir, `${PREFIX}${randomUUID()}`);
  await mkdir(scratch, { mode: 0o711 });
  try {
    const place = await openPlace({ dataDir: scratch });
    try {
      const { connection } = place;
      const datasets = join(scratch, "datasets");
      const manifest = await restore({ folder, connection, store: HASHING_STORE, datasets, log, signal });
      return await compare(connection, manifest, signal);
    } finally {
      await place.close();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function compare(
  connection: Connection,
  manifest: BackupManifest,
  signal: AbortSignal | undefined,
): Promise<TestedBackup> {
  const client = openClient(connection, { name: "kernelbot restore test" });
  let total = 0;
  try {
    // The rows are in the order of the backup, which was restored into empty tables.
    await client.query("set synchronize_seqscans = off");
    for (const { name, columns, rows, sha256 } of manifest.tables) {
      signal?.throwIfAborted();
      if (rows === undefined) throw damaged("it has no hashes, because an earlier version made it; make a new one");
      const digester = new TableDigester();
      const text = `copy ${quoteName(name)} (${columns.map(quoteName).join(", ")}) to stdout`;
      await copyOut(client, text, [digester, discarding()]);
      const found = digester.digest();
      if (found.rows !== rows || found.sha256 !== sha256) {
        throw damaged(
          found.rows === rows
            ? `after the restore, rows of the table ${name} have other values`
            : `after the restore, the table ${name} has ${found.rows} of ${rows} rows`,
        );
      }
      total += rows;
    }
    await migrate(client.sql);
    return { manifest, tables: manifest.tables.length, rows: total };
  } finally {
    await client.end(1);
  }
}

function discarding(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** Computes the hash of objects, and stores nothing. */
const HASHING_STORE: Pick<ObjectStore, "put"> = {
  async put(bytes) {
    const hash = createHash("sha256");
    let sizeBytes = 0;
    for await (const chunk of bytes) {
      hash.update(chunk);
      sizeBytes += chunk.length;
    }
    return { sha256: hash.digest("hex"), sizeBytes };
  },
};

async function deleteStale(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(PREFIX)) continue;
    const { mtimeMs } = await stat(join(dataDir, name));
    if (Date.now() - mtimeMs > STALE_MS) await rm(join(dataDir, name), { recursive: true, force: true });
  }
}
