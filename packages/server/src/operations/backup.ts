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
import type postgres from "postgres";
import { z } from "zod";
import type { ObjectStore } from "../artifacts/store.ts";
import { openClient, type Connection } from "../db/client.ts";

export const MANIFEST = "manifest.json";
const FORMAT = "kernelbot-backup-1";

const Name = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/);

export const BackupManifest = z.object({
  format: z.literal(FORMAT),
  createdAt: z.iso.datetime(),
  /** The newest migration that the database has had. */
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
}

/** Backs up beside servers that go on working. @throws KernelBotError where the folder has something in it. */
export async function backUp({ folder, connection, store, datasets }: Backup): Promise<BackupManifest> {
  if ((await readdir(folder).catch(() => [])).length > 0) {
    throw new KernelBotError("bad_request", `--to ${quote(folder)}: it has something in it; name a new folder`);
  }
  // It holds what is secret, such as the seeds of open competitions.
  await mkdir(join(folder, "tables"), { recursive: true, mode: 0o700 });
  await Promise.all(["objects", "datasets"].map((name) => mkdir(join(folder, name), { mode: 0o700 })));
  const client = openClient(connection, { name: "kernelbot backup" });
  try {
    const copied = await client.sql.begin("isolation level repeatable read read only", (sql) =>
      copyTables(sql, folder),
    );
    const manifest = { format: FORMAT, createdAt: new Date().toISOString(), ...copied } as const;
    // After the tables: what is deleted meanwhile has passed its time, and what comes is not in the tables.
    const objects = store === null ? [] : await copyObjects(store, copied.objects, folder);
    const snapshots = await copySnapshots(datasets, copied.snapshots, folder);
    const whole = BackupManifest.parse({ ...manifest, objects, snapshots });
    await writeFile(join(folder, MANIFEST), `${JSON.stringify(whole, null, 2)}\n`, { flush: true, mode: 0o600 });
    return whole;
  } finally {
    await client.end(1);
  }
}

async function copyTables(sql: postgres.TransactionSql, folder: string) {
  const [done] = await sql<{ migration: number }[]>`select max(number) as migration from schema_migration`;
  const tables = await sql<{ name: string; columns: string[] }[]>`
    select c.relname as name, json_agg(a.attname order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migration'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`;
  for (const { name, columns } of tables) {
    const rows = await sql`copy ${sql(name)} (${sql(columns)}) to stdout`.readable();
    const file = createWriteStream(join(folder, "tables", `${name}.gz`), { flags: "wx", mode: 0o600, flush: true });
    await pipeline(rows, createGzip({ level: 3 }), file);
  }
  const artifacts = await sql<{ hash: string }[]>`
    select distinct encode(hash, 'hex') as hash from artifact where deleted_at is null order by 1`;
  const snapshots = await sql<{ id: number }[]>`
    select id from dataset_snapshot where state = 'ready' and files_deleted_at is null order by id`;
  // They are of no transaction. Read last, they are not behind the rows.
  const sequences = await sql<{ name: string; last: number }[]>`
    select sequencename as name, last_value as last from pg_sequences
    where schemaname = 'public' and last_value is not null order by 1`;
  return {
    migration: done?.migration ?? 0,
    tables: Array.from(tables),
    sequences: Array.from(sequences),
    objects: artifacts.map(({ hash }) => hash),
    snapshots: snapshots.map(({ id }) => id),
  };
}

/** @returns those that were there. */
async function copyObjects(store: ObjectStore, hashes: readonly string[], folder: string): Promise<string[]> {
  const copied = [];
  for (const hash of hashes) {
    const bytes = await store.get(hash);
    if (bytes === null) continue;
    await pipeline(bytes, createWriteStream(join(folder, "objects", hash), { flags: "wx", mode: 0o600, flush: true }));
    copied.push(hash);
  }
  return copied;
}

async function copySnapshots(datasets: string, ids: readonly number[], folder: string): Promise<number[]> {
  const there = new Set(await readdir(datasets).catch(() => []));
  const copied = ids.filter((id) => there.has(String(id)));
  for (const id of copied) {
    await cp(join(datasets, String(id)), join(folder, "datasets", String(id)), { recursive: true });
  }
  return copied;
}
