/**
 * Backup of a server's data as one folder, on a disk or in a bucket: a consistent snapshot of the tables, the objects they refer to, and the
 * files of dataset snapshots. The key that signs receipts is not included, so that a backup does not allow signing.
 *
 *     manifest.json    written last: a folder without it is incomplete
 *     tables/NAME.gz   rows of a table in COPY's text format
 *     objects/SHA256   artifacts
 *     datasets/ID/     files of a dataset snapshot
 */
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createGzip } from "node:zlib";
import { KernelBotError, quote } from "@kernelbot/core";
import { z } from "zod";
import type { ObjectStore } from "../../artifacts/store.ts";
import { openClient, type Client, type Connection } from "../../db/client.ts";
import { copyOut } from "../../db/copy.ts";
import type { Log } from "../../db/log.ts";
import { listApplied, readMigrations, refuseOther } from "../../db/migrate.ts";
import { openProgress, type Progress } from "../progress.ts";
import { onDisk, type BackupFolder } from "./folder.ts";
import { recordOutcome } from "./outcomes.ts";
import { TableDigester } from "./table-digest.ts";

export const MANIFEST = "manifest.json";
const FORMAT = "kernelbot-backup-2";

/**
 * Milliseconds without data from the database after which a backup fails: longer than a bucket's slowest request with
 * its retries takes, during which no data is read.
 */
const STALL_MS = 15 * 60_000;

const Name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/);

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const BackupManifest = z.object({
  format: z.literal(FORMAT),
  /** Time of the database snapshot. */
  createdAt: z.iso.datetime(),
  /** Newest applied migration. */
  migration: z.int().positive(),
  tables: z.array(
    z.object({
      name: Name,
      columns: z.array(Name).min(1),
      /** Absent in backups of earlier versions, like the hash. */
      rows: z.int().nonnegative().optional(),
      /** SHA-256 of the uncompressed rows. */
      sha256: Sha256.optional(),
    }),
  ),
  sequences: z.array(z.object({ name: Name, last: z.int().positive() })),
  objects: z.array(Sha256),
  snapshots: z.array(z.int().positive()),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

export interface Backup {
  /** Destination: a folder without files. */
  folder: BackupFolder;
  connection: Connection;
  /** Null when the objects are backed up separately. */
  store: ObjectStore | null;
  /** Folder of the dataset snapshots. */
  datasets: string;
  /** Logs progress, every few seconds. */
  log: Log;
  /** Interrupts the backup. */
  signal?: AbortSignal | undefined;
}

/**
 * Writes a backup while servers keep running.
 * @throws KernelBotError when the folder is not empty, or the database is not one of KernelBot or was created with
 * another schema; the reason of the signal.
 */
export async function backUp({ folder, connection, store, datasets, log, signal }: Backup): Promise<BackupManifest> {
  if ((await folder.list()).length > 0) {
    throw new KernelBotError("bad_request", `--to ${quote(folder.address)}: the folder is not empty; name a new one`);
  }
  const client = openClient(connection, { name: "kernelbot backup" });
  const interrupt = (): void => client.destroy();
  signal?.addEventListener("abort", interrupt);
  using progress = openProgress(log, signal);
  try {
    await client.query("begin isolation level repeatable read read only");
    await requireKernelBot(client);
    const copied = await copyTables(client, folder, progress);
    await client.query("commit");
    // Copied after the tables: objects deleted meanwhile have expired, and new ones are not in the tables.
    const objects = store === null ? [] : await copyObjects(store, copied.objects, folder, progress);
    const snapshots = await copySnapshots(datasets, copied.snapshots, folder, progress);
    const whole = BackupManifest.parse({ format: FORMAT, ...copied, objects, snapshots });
    signal?.throwIfAborted();
    await folder.write(MANIFEST, oneChunk(`${JSON.stringify(whole, null, 2)}\n`));
    await recordOutcome(client, { kind: "backup", address: folder.address, takenAt: whole.createdAt });
    return whole;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", interrupt);
    await client.end(1);
  }
}

async function requireKernelBot(client: Client): Promise<void> {
  const [row] = await client.query("select to_regclass('public.schema_migration')::text as name");
  if (row?.["name"] == null) {
    throw new KernelBotError(
      "bad_request",
      "the database has no tables of KernelBot, so no server has used it; check --data and DATABASE_URL",
    );
  }
  refuseOther(await listApplied(client), await readMigrations());
}

async function* oneChunk(text: string): AsyncGenerator<Buffer, void> {
  yield Buffer.from(text);
}

async function copyTables(client: Client, folder: BackupFolder, progress: Progress) {
  const [state] = await client.query("select now() as moment, max(number) as migration from schema_migration");
  const tables = (await client.query(`
    select c.relname as name, json_agg(a.attname order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migration'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`)) as unknown as { name: string; columns: string[] }[];
  const copied: BackupManifest["tables"] = [];
  for (const [at, { name, columns }] of tables.entries()) {
    progress.begin(`table ${at + 1} of ${tables.length}, ${name}`);
    const text = `copy ${quoteName(name)} (${columns.map(quoteName).join(", ")}) to stdout`;
    const digester = new TableDigester();
    const rows = createGzip({ level: 3 });
    // The copy may fail before the folder reads the rows. Its own promise reports the error.
    rows.on("error", () => undefined);
    const copying = copyOut(client, text, [digester, rows], { onBytes: progress.add, stallMs: STALL_MS });
    // Ends the file too, with the same error.
    copying.catch((error: unknown) => rows.destroy(error as Error));
    await Promise.all([copying, folder.write(`tables/${name}.gz`, rows)]);
    copied.push({ name, columns, ...digester.digest() });
  }
  const artifacts = await client.query(
    "select distinct encode(hash, 'hex') as hash from artifact where deleted_at is null order by 1",
  );
  const snapshots = await client.query(
    "select id from dataset_snapshot where state = 'ready' and files_deleted_at is null order by id",
  );
  // Sequences are not transactional. Read last, they are not behind the rows.
  const sequences = await client.query(`
    select sequencename as name, last_value as last from pg_sequences
    where schemaname = 'public' and last_value is not null order by 1`);
  return {
    createdAt: (state?.["moment"] as Date).toISOString(),
    migration: state?.["migration"] as number,
    tables: copied,
    sequences: Array.from(sequences) as unknown as BackupManifest["sequences"],
    objects: artifacts.map((row) => row["hash"] as string),
    snapshots: snapshots.map((row) => row["id"] as number),
  };
}

/** Quotes an SQL identifier. Names in a manifest contain no quotes. */
export function quoteName(name: string): string {
  return `"${name}"`;
}

/** Copies objects into the backup. @returns the hashes of the objects that existed. */
async function copyObjects(
  store: ObjectStore,
  hashes: readonly string[],
  folder: BackupFolder,
  progress: Progress,
): Promise<string[]> {
  const copied = [];
  for (const [at, hash] of hashes.entries()) {
    progress.begin(`object ${at + 1} of ${hashes.length}`);
    const bytes = await store.get(hash);
    if (bytes === null) continue;
    await folder.write(`objects/${hash}`, bytes);
    copied.push(hash);
  }
  return copied;
}

async function copySnapshots(
  datasets: string,
  ids: readonly number[],
  folder: BackupFolder,
  progress: Progress,
): Promise<number[]> {
  const there = new Set(await readdir(datasets).catch(() => []));
  const copied = ids.filter((id) => there.has(String(id)));
  for (const [at, id] of copied.entries()) {
    for (const path of await onDisk(join(datasets, String(id))).list()) {
      progress.begin(`snapshot ${at + 1} of ${copied.length}, ${path}`);
      await folder.write(`datasets/${id}/${path}`, createReadStream(join(datasets, String(id), path)));
    }
  }
  return copied;
}
