/**
 * Backup of a server's data as one folder: a consistent snapshot of the tables, the objects they refer to, and the
 * files of dataset snapshots. The key that signs receipts is not included, so that a backup does not allow signing.
 *
 *     manifest.json    written last: a folder without it is incomplete
 *     tables/NAME.gz   rows of a table in COPY's text format
 *     objects/SHA256   artifacts
 *     datasets/ID/     files of a dataset snapshot
 */
import { createWriteStream } from "node:fs";
import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { KernelBotError, quote } from "@kernelbot/core";
import { z } from "zod";
import type { ObjectStore } from "../artifacts/store.ts";
import { openClient, type Client, type Connection } from "../db/client.ts";
import { copyOut } from "../db/copy.ts";
import type { Log } from "../db/log.ts";
import { listApplied } from "../db/migrate.ts";
import { refuseUnreleased } from "../db/unreleased.ts";
import { openProgress, type Progress } from "./progress.ts";

export const MANIFEST = "manifest.json";
/** Format of unreleased versions, which differs only in the numbers of migrations. */
export const UNRELEASED_FORMAT = "kernelbot-backup-1";
const FORMAT = "kernelbot-backup-2";

const Name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/);

export const BackupManifest = z.object({
  format: z.enum([UNRELEASED_FORMAT, FORMAT]),
  /** Time of the database snapshot. */
  createdAt: z.iso.datetime(),
  /** Newest applied migration, numbered as in its format. */
  migration: z.int().positive(),
  tables: z.array(z.object({ name: Name, columns: z.array(Name).min(1) })),
  sequences: z.array(z.object({ name: Name, last: z.int().positive() })),
  objects: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
  snapshots: z.array(z.int().positive()),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

export interface Backup {
  /** Destination: a folder that does not exist or is empty. */
  folder: string;
  connection: Connection;
  /** Null when the objects are backed up separately. */
  store: ObjectStore | null;
  /** Folder of the dataset snapshots. */
  datasets: string;
  /** Logs progress, every few seconds. */
  log: Log;
}

/**
 * Writes a backup while servers keep running.
 * @throws KernelBotError when the folder is not empty, or an unreleased version created the database.
 */
export async function backUp({ folder, connection, store, datasets, log }: Backup): Promise<BackupManifest> {
  if ((await readdir(folder).catch(() => [])).length > 0) {
    throw new KernelBotError("bad_request", `--to ${quote(folder)}: the folder is not empty; name a new one`);
  }
  const client = openClient(connection, { name: "kernelbot backup" });
  const progress = openProgress(log);
  try {
    await client.query("begin isolation level repeatable read read only");
    refuseUnreleased(await listApplied(client.sql));
    // Backups contain secrets, such as the seeds of open competitions.
    await mkdir(join(folder, "tables"), { recursive: true, mode: 0o700 });
    await Promise.all(["objects", "datasets"].map((name) => mkdir(join(folder, name), { mode: 0o700 })));
    const copied = await copyTables(client, folder, progress);
    await client.query("commit");
    // Copied after the tables: objects deleted meanwhile have expired, and new ones are not in the tables.
    const objects = store === null ? [] : await copyObjects(store, copied.objects, folder, progress);
    const snapshots = await copySnapshots(datasets, copied.snapshots, folder, progress);
    const whole = BackupManifest.parse({ format: FORMAT, ...copied, objects, snapshots });
    await writeFile(join(folder, MANIFEST), `${JSON.stringify(whole, null, 2)}\n`, { flush: true, mode: 0o600 });
    await recordBackup(client, whole);
    return whole;
  } finally {
    await client.end(1);
  }
}

async function copyTables(client: Client, folder: string, progress: Progress) {
  const [state] = await client.query("select now() as moment, max(number) as migration from schema_migration");
  const tables = (await client.query(`
    select c.relname as name, json_agg(a.attname order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migration'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`)) as unknown as { name: string; columns: string[] }[];
  for (const [at, { name, columns }] of tables.entries()) {
    progress.begin(`table ${at + 1} of ${tables.length}, ${name}`);
    const file = createWriteStream(join(folder, "tables", `${name}.gz`), { flags: "wx", mode: 0o600, flush: true });
    const text = `copy ${quoteName(name)} (${columns.map(quoteName).join(", ")}) to stdout`;
    await copyOut(client, text, [createGzip({ level: 3 }), file], { onBytes: progress.add });
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
    tables: Array.from(tables),
    sequences: Array.from(sequences) as unknown as BackupManifest["sequences"],
    objects: artifacts.map((row) => row["hash"] as string),
    snapshots: snapshots.map((row) => row["id"] as number),
  };
}

/** Quotes an SQL identifier. Names in a manifest contain no quotes. */
export function quoteName(name: string): string {
  return `"${name}"`;
}

/** Records the backup in the database, where servers read the age of the newest one. */
async function recordBackup(client: Client, { createdAt }: BackupManifest): Promise<void> {
  await client.query("insert into backup (taken_at) values ($1)", [createdAt]);
}

/** Copies objects into the backup. @returns the hashes of the objects that existed. */
async function copyObjects(
  store: ObjectStore,
  hashes: readonly string[],
  folder: string,
  progress: Progress,
): Promise<string[]> {
  const copied = [];
  for (const [at, hash] of hashes.entries()) {
    progress.begin(`object ${at + 1} of ${hashes.length}`);
    const bytes = await store.get(hash);
    if (bytes === null) continue;
    await pipeline(bytes, createWriteStream(join(folder, "objects", hash), { flags: "wx", mode: 0o600, flush: true }));
    copied.push(hash);
  }
  return copied;
}

async function copySnapshots(
  datasets: string,
  ids: readonly number[],
  folder: string,
  progress: Progress,
): Promise<number[]> {
  const there = new Set(await readdir(datasets).catch(() => []));
  const copied = ids.filter((id) => there.has(String(id)));
  for (const [at, id] of copied.entries()) {
    progress.begin(`snapshot ${at + 1} of ${copied.length}`);
    await cp(join(datasets, String(id)), join(folder, "datasets", String(id)), { recursive: true });
  }
  return copied;
}
