/** Test of a backup: it is restored into a scratch database, read again and compared. */
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { ObjectStore } from "../../artifacts/store.ts";
import { openClient, type Connection } from "../../db/client.ts";
import { copyOut } from "../../db/copy.ts";
import { openPlace } from "../../db/database.ts";
import { createTemporaryFolder, deleteAbandonedFolders } from "../../db/embedded/temporary.ts";
import type { Log } from "../../db/log.ts";
import { migrate } from "../../db/migrate.ts";
import { openProgress, type Progress } from "../progress.ts";
import { quoteName, type BackupManifest } from "./backup.ts";
import type { BackupFolder } from "./folder.ts";
import { damaged, restore } from "./restore.ts";
import { TableDigester } from "./table-digest.ts";

interface RestoreTest {
  /** Folder of the backup. */
  folder: BackupFolder;
  /** Data directory of the server, in which the scratch database is created and deleted again. */
  dataDir: string;
  log: Log;
  /** Interrupts the test. */
  signal?: AbortSignal | undefined;
}

interface TestedBackup {
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
  await deleteAbandonedFolders(dataDir, log);
  const scratch = await createTemporaryFolder(dataDir);
  try {
    const place = await openPlace({ dataDir: scratch });
    try {
      const { connection } = place;
      const datasets = join(scratch, "datasets");
      const manifest = await restore({ folder, connection, store: HASHING_STORE, datasets, log, signal });
      using progress = openProgress(log, signal);
      return await compare(connection, manifest, progress);
    } finally {
      await place.close();
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function compare(connection: Connection, manifest: BackupManifest, progress: Progress): Promise<TestedBackup> {
  const client = openClient(connection, { name: "kernelbot restore test" });
  let total = 0;
  try {
    // The rows are in the order of the backup, which was restored into empty tables.
    await client.query("set synchronize_seqscans = off");
    for (const [at, { name, columns, rows, sha256 }] of manifest.tables.entries()) {
      progress.begin(`comparing table ${at + 1} of ${manifest.tables.length}, ${name}`);
      if (rows === undefined) throw damaged("it has no hashes, because an earlier version made it; make a new one");
      const digester = new TableDigester();
      const text = `copy ${quoteName(name)} (${columns.map(quoteName).join(", ")}) to stdout`;
      await copyOut(client, text, [digester, discarding()], { onBytes: progress.add });
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
    progress.begin("migrations of this version");
    await migrate(client);
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
