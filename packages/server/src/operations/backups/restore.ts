/**
 * Restores a backup into an empty database. The schema is created in the version of the backup, then filled; the
 * server's start migrates it to the current version.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { KernelBotError, quote } from "@kernelbot/core";
import type { ObjectStore } from "../../artifacts/store.ts";
import { openClient, type Client, type Connection } from "../../db/client.ts";
import { copyIn } from "../../db/copy.ts";
import type { Log } from "../../db/log.ts";
import { migrate, readMigrations } from "../../db/migrate.ts";
import { BackupManifest, MANIFEST, quoteName } from "./backup.ts";
import { onDisk, type BackupFolder } from "./folder.ts";
import { TableDigester } from "./table-digest.ts";
import { openProgress, type Progress } from "../progress.ts";

export interface Restore {
  /** Folder of the backup. */
  folder: BackupFolder;
  connection: Connection;
  store: Pick<ObjectStore, "put">;
  /** Folder of the dataset snapshots. */
  datasets: string;
  /** Logs progress, every few seconds. */
  log: Log;
  /** Interrupts the restore. */
  signal?: AbortSignal | undefined;
}

/**
 * Restores a backup.
 * @throws KernelBotError when the backup is incomplete or from a newer version of KernelBot, or the database is not
 * empty.
 */
export async function restore({ folder, connection, store, datasets, log, signal }: Restore): Promise<BackupManifest> {
  const manifest = await readManifest(folder);
  const migrations = await readMigrations();
  const { migration } = manifest;
  const newest = migrations.at(-1)?.number ?? 0;
  if (migration > newest) {
    throw new KernelBotError(
      "unavailable",
      `the backup is at migration ${migration}, but this KernelBot supports ${newest}; restore it with the newer version`,
    );
  }
  const client = openClient(connection, { name: "kernelbot restore" });
  const interrupt = (): void => client.destroy();
  signal?.addEventListener("abort", interrupt);
  using progress = openProgress(log, signal);
  try {
    await refuseData(client);
    progress.begin("tables of the schema");
    await migrate(
      client,
      migrations.filter(({ number }) => number <= migration),
    );
    await refuseOtherColumns(client, manifest);
    for (const [at, hash] of manifest.objects.entries()) {
      progress.begin(`object ${at + 1} of ${manifest.objects.length}`);
      const { sha256 } = await store.put(await open(folder, `objects/${hash}`), Number.MAX_SAFE_INTEGER);
      if (sha256 !== hash) throw damaged(`objects/${hash} does not match its hash`);
    }
    await mkdir(datasets, { recursive: true });
    for (const [at, id] of manifest.snapshots.entries()) {
      const snapshot = folder.folder(`datasets/${id}`);
      // Files of an interrupted restore may exist.
      const destination = onDisk(join(datasets, String(id)));
      await destination.delete([]);
      for (const path of await snapshot.list()) {
        progress.begin(`snapshot ${at + 1} of ${manifest.snapshots.length}, ${path}`);
        await destination.write(path, await open(snapshot, path));
      }
    }
    // Last and in one transaction, so that objects exist before any row refers to them.
    await client.query("begin");
    await fillTables(client, manifest, folder, progress);
    progress.begin("commit");
    await client.query("commit");
    return manifest;
  } finally {
    signal?.removeEventListener("abort", interrupt);
    await client.end(1);
  }
}

async function readManifest(folder: BackupFolder): Promise<BackupManifest> {
  const bytes = await folder.read(MANIFEST);
  if (bytes === null) {
    const [newest] = (await listComplete(folder)).toReversed();
    const advice = newest === undefined ? "" : `; the newest one in this folder is ${folder.folder(newest).address}`;
    throw new KernelBotError(
      "bad_request",
      `--from ${quote(folder.address)}: ${MANIFEST} is missing, so this is not a complete backup${advice}`,
    );
  }
  try {
    return BackupManifest.parse(JSON.parse(await text(bytes)));
  } catch (error) {
    throw damaged(`${MANIFEST} cannot be read`, error);
  }
}

/** Returns the names of the folders that are complete backups, sorted. */
export async function listComplete(folder: BackupFolder): Promise<string[]> {
  const complete = [];
  for (const name of await folder.folders()) {
    const manifest = await folder.folder(name).read(MANIFEST);
    manifest?.destroy();
    if (manifest !== null) complete.push(name);
  }
  return complete;
}

async function open(folder: BackupFolder, path: string): Promise<Readable> {
  const bytes = await folder.read(path);
  if (bytes === null) throw damaged(`${path} is missing`);
  return bytes;
}

/**
 * Requires that the schema has every table and column of the backup.
 * @throws KernelBotError `unavailable` if the backup was made with another state of the schema before the first release.
 */
async function refuseOtherColumns(client: Client, { tables }: BackupManifest): Promise<void> {
  const [row] = await client.query(
    "select array_agg(table_name || '.' || column_name) as names from information_schema.columns where table_schema = 'public'",
  );
  const known = new Set(row?.["names"] as string[]);
  const missing = tables
    .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`))
    .filter((column) => !known.has(column));
  if (missing.length === 0) return;
  const more = missing.length === 1 ? "" : ` and ${missing.length - 1} more`;
  throw new KernelBotError(
    "unavailable",
    `the backup has the column ${quote(missing[0] as string)}${more}, which the schema of this version does not have, because it ` +
      "was made with another state of the schema before the first release; restore it with the version that made it",
  );
}

/** Requires a database without accounts. Tables left by a failed restore are accepted. */
async function refuseData(client: Client): Promise<void> {
  const [there] = await client.query("select to_regclass('public.account')::text as account");
  if (there?.["account"] == null) return;
  const [account] = await client.query("select from account limit 1");
  if (account === undefined) return;
  throw new KernelBotError("conflict", "the database is not empty; restore into an empty one");
}

/**
 * Fills the tables. Foreign keys, which are circular, are dropped and created again afterwards, which checks them.
 * Triggers are disabled, because they would notify of old events.
 */
async function fillTables(
  client: Client,
  { tables, sequences }: BackupManifest,
  folder: BackupFolder,
  progress: Progress,
): Promise<void> {
  // Both are already quoted where necessary.
  const keys = (await client.query(`
    select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
    order by 1, 2`)) as unknown as { table: string; name: string; definition: string }[];
  const names = tables.map(({ name }) => quoteName(name));
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${name}`);
  for (const name of names) await client.query(`alter table ${name} disable trigger user`);
  // Migrations insert rows of their own.
  await client.query(`truncate ${names.join(", ")}`);
  for (const [at, { name, columns, rows, sha256 }] of tables.entries()) {
    progress.begin(`table ${at + 1} of ${tables.length}, ${name}`);
    const digester = new TableDigester();
    const file = await open(folder, `tables/${name}.gz`);
    const text = `copy ${quoteName(name)} (${columns.map(quoteName).join(", ")}) from stdin`;
    await copyIn(client, text, [file, createGunzip(), digester], { onBytes: progress.add }).catch((error: unknown) => {
      if (!/^Z_/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
      throw damaged(`tables/${name}.gz cannot be decompressed`, error);
    });
    const found = digester.digest();
    if (sha256 !== undefined && found.sha256 !== sha256) {
      const difference =
        found.rows === rows
          ? `it has the ${rows} rows that were backed up, but values in them differ`
          : `it has ${found.rows} rows instead of ${rows}`;
      throw damaged(`tables/${name}.gz does not match its hash: ${difference}`);
    }
  }
  for (const { name, last } of sequences)
    await client.query("select setval($1::regclass, $2)", [quoteName(name), last]);
  for (const [at, { table, name, definition }] of keys.entries()) {
    progress.begin(`key ${at + 1} of ${keys.length}, of ${table}`);
    await client.query(`alter table ${table} add constraint ${name} ${definition}`);
  }
  for (const name of names) await client.query(`alter table ${name} enable trigger user`);
}

/** Returns the error of a backup that cannot be restored completely. */
export function damaged(what: string, cause?: unknown): KernelBotError {
  return new KernelBotError("unavailable", `the backup is damaged: ${what}`, { cause });
}
