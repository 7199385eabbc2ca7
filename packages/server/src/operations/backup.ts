/**
 * A copy of all that a server keeps, as one folder: the tables as they are at one moment, the objects that they name, and
 * the files of snapshots. The key that signs receipts is not in it: who has a backup must not be able to sign.
 *
 *     manifest.json    what is here, written last: a folder without it is no backup
 *     tables/NAME.gz   the rows of a table as COPY writes them
 *     objects/SHA256   the files of runs
 *     datasets/ID/     the files of a snapshot
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
/** The format of unreleased versions: the same, but the migrations had other numbers. */
export const UNRELEASED_FORMAT = "kernelbot-backup-1";
const FORMAT = "kernelbot-backup-2";

const Name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/);

export const BackupManifest = z.object({
  format: z.enum([UNRELEASED_FORMAT, FORMAT]),
  /** The moment of the database that it holds. */
  createdAt: z.iso.datetime(),
  /** The newest migration that the database has had, numbered as in its format. */
  migration: z.int().positive(),
  tables: z.array(z.object({ name: Name, columns: z.array(Name).min(1) })),
  sequences: z.array(z.object({ name: Name, last: z.int().positive() })),
  objects: z.array(z.string().regex(/^[0-9a-f]{64}$/)),
  snapshots: z.array(z.int().positive()),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

export interface Backup {
  /** Where it is written: a folder that is not there yet, or is empty. */
  folder: string;
  connection: Connection;
  /** Null where the objects are kept safe elsewhere. */
  store: ObjectStore | null;
  /** The folder of the snapshots' files. */
  datasets: string;
  /** Hears how far it is, every few seconds. */
  log: Log;
}

/** Backs up beside servers that go on working. @throws KernelBotError where the folder has something in it, or an unreleased version created the database. */
export async function backUp({ folder, connection, store, datasets, log }: Backup): Promise<BackupManifest> {
  if ((await readdir(folder).catch(() => [])).length > 0) {
    throw new KernelBotError("bad_request", `--to ${quote(folder)}: it has something in it; name a new folder`);
  }
  const client = openClient(connection, { name: "kernelbot backup" });
  const progress = openProgress(log);
  try {
    await client.query("begin isolation level repeatable read read only");
    refuseUnreleased(await listApplied(client.sql));
    // It holds what is secret, such as the seeds of open competitions.
    await mkdir(join(folder, "tables"), { recursive: true, mode: 0o700 });
    await Promise.all(["objects", "datasets"].map((name) => mkdir(join(folder, name), { mode: 0o700 })));
    const copied = await copyTables(client, folder, progress);
    await client.query("commit");
    // After the tables: what is deleted meanwhile has passed its time, and what comes is not in the tables.
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
  // They are of no transaction. Read last, they are not behind the rows.
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

/** A name as SQL writes it. Those of a manifest have no quotes. */
export function quoteName(name: string): string {
  return `"${name}"`;
}

/** Records the backup where servers read how old the newest one is. */
async function recordBackup(client: Client, { createdAt }: BackupManifest): Promise<void> {
  await client.query("insert into backup (taken_at) values ($1)", [createdAt]);
}

/** @returns those that were there. */
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
