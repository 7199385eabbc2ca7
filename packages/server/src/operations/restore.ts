/** Puts a backup into an empty place. The database gets the shape that it had, then its rows; a server brings it on from there. */
import { createReadStream } from "node:fs";
import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { KernelBotError, quote } from "@kernelbot/core";
import type postgres from "postgres";
import type { ObjectStore } from "../artifacts/store.ts";
import { openClient, type Connection } from "../db/client.ts";
import { migrate, readMigrations } from "../db/migrate.ts";
import { BackupManifest, MANIFEST } from "./backup.ts";

export interface Restore {
  /** That of a backup. */
  folder: string;
  connection: Connection;
  store: ObjectStore;
  /** The folder of the snapshots' files. */
  datasets: string;
}

/** @throws KernelBotError where there is no whole backup, it is of a newer KernelBot, or the database has data. */
export async function restore({ folder, connection, store, datasets }: Restore): Promise<BackupManifest> {
  const manifest = await readManifest(folder);
  const migrations = await readMigrations();
  const newest = migrations.at(-1)?.number ?? 0;
  if (manifest.migration > newest) {
    throw new KernelBotError(
      "unavailable",
      `the backup is of migration ${manifest.migration}, and this KernelBot knows ${newest}; restore it with the newer version`,
    );
  }
  const client = openClient(connection, { name: "kernelbot restore" });
  try {
    await refuseData(client.sql);
    await migrate(
      client.sql,
      migrations.filter(({ number }) => number <= manifest.migration),
    );
    for (const hash of manifest.objects) {
      const { sha256 } = await store.put(createReadStream(join(folder, "objects", hash)), Number.MAX_SAFE_INTEGER);
      if (sha256 !== hash) throw damaged(`objects/${hash} has other bytes than it had`);
    }
    await mkdir(datasets, { recursive: true });
    for (const id of manifest.snapshots) {
      await cp(join(folder, "datasets", String(id)), join(datasets, String(id)), { recursive: true });
    }
    // Last, and all at once: who finds rows finds all.
    await client.sql.begin((sql) => fillTables(sql, manifest, folder));
    return manifest;
  } finally {
    await client.end(1);
  }
}

async function readManifest(folder: string): Promise<BackupManifest> {
  const text = await readFile(join(folder, MANIFEST), "utf8").catch(() => null);
  if (text === null) {
    throw new KernelBotError(
      "bad_request",
      `--from ${quote(folder)}: there is no ${MANIFEST}, so it is no whole backup`,
    );
  }
  try {
    return BackupManifest.parse(JSON.parse(text));
  } catch (error) {
    throw damaged(`${MANIFEST} cannot be read`, error);
  }
}

/** What a restore that failed has left is no data. */
async function refuseData(sql: postgres.Sql): Promise<void> {
  const [there] = await sql<{ account: string | null }[]>`select to_regclass('public.account')::text as account`;
  if (there?.account == null) return;
  const [account] = await sql`select from account limit 1`;
  if (account === undefined) return;
  throw new KernelBotError("conflict", "the database has data already; restore into an empty one");
}

/**
 * Tables refer to each other in circles, and their triggers would tell of old news: so neither counts while they are
 * filled. The keys are checked when they are made again.
 */
async function fillTables(sql: postgres.TransactionSql, { tables, sequences }: BackupManifest, folder: string) {
  const keys = await sql<{ table: string; name: string; definition: string }[]>`
    select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`;
  for (const { table, name } of keys) await sql`alter table ${sql(table)} drop constraint ${sql(name)}`;
  for (const { name } of tables) await sql`alter table ${sql(name)} disable trigger user`;
  // Migrations have made rows of their own.
  await sql`truncate ${sql(tables.map(({ name }) => name))}`;
  for (const { name, columns } of tables) {
    const rows = await sql`copy ${sql(name)} (${sql(columns)}) from stdin`.writable();
    await pipeline(createReadStream(join(folder, "tables", `${name}.gz`)), createGunzip(), rows);
  }
  for (const { name, last } of sequences) await sql`select setval(${name}::regclass, ${last})`;
  for (const { table, name, definition } of keys) {
    await sql`alter table ${sql(table)} add constraint ${sql(name)} ${sql.unsafe(definition)}`;
  }
  for (const { name } of tables) await sql`alter table ${sql(name)} enable trigger user`;
}

function damaged(what: string, cause?: unknown): KernelBotError {
  return new KernelBotError("unavailable", `the backup is damaged: ${what}`, { cause });
}
