/**
 * Migrates a database to the current schema: applies the missing migrations in the order of their numbers, each in its
 * own transaction. Migrations cannot be reverted. An advisory lock serialises servers that start at the same time.
 */
import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type postgres from "postgres";
import { KernelBotError } from "@kernelbot/core";
import { readSchema } from "./schema.ts";
import { refuseOtherSchema, refuseUnreleased } from "./unreleased.ts";

const DIRECTORY = join(import.meta.dirname, "migrations");

/** Key of the advisory lock, which no other code uses. */
const LOCK = 7_236_114;

const OLDEST_POSTGRES = 15;

export interface Migration {
  number: number;
  name: string;
  text: string;
}

/** A migration that a database has had. */
export interface AppliedMigration {
  name: string;
  /** SHA-256 of its text; null in databases that are older than this column. */
  hash: string | null;
}

/** The name of the first migration, which is the whole schema of the first release. */
export const FIRST_MIGRATION = "0001_schema.sql";

/**
 * Returns all migrations in order. Before the first release, which freezes the first migration as a file, that
 * migration consists of the schema files.
 * @param directory The folder of the numbered files.
 * @param schema The folder of the schema files; by default that of the server.
 */
export async function readMigrations(directory: string = DIRECTORY, schema?: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).toSorted();
  const isReleased = names[0] === FIRST_MIGRATION;
  const texts = await Promise.all(names.map((name) => readFile(join(directory, name), "utf8")));
  const files = names.map((name, n) => ({ number: Number(name.slice(0, 4)), name, text: texts[n] as string }));
  return isReleased ? files : [{ number: 1, name: FIRST_MIGRATION, text: await readSchema(schema) }, ...files];
}

/**
 * Applies the missing migrations.
 * @param sql A client of one connection, since the advisory lock belongs to the session.
 * @throws KernelBotError `unavailable` if PostgreSQL is too old, or the database was created by an unreleased version
 * from another state of the
 * schema, or migrated by a newer version of KernelBot.
 */
export async function migrate(sql: postgres.Sql, migrations?: readonly Migration[]): Promise<void> {
  const known = migrations ?? (await readMigrations());
  const [server] = await sql<
    { version: number }[]
  >`select current_setting('server_version_num')::int / 10000 as version`;
  if (server !== undefined && server.version < OLDEST_POSTGRES) {
    throw new KernelBotError(
      "unavailable",
      `the database is PostgreSQL ${server.version}; KernelBot needs ${OLDEST_POSTGRES} or newer`,
    );
  }
  await sql`select pg_advisory_lock(${LOCK})`;
  try {
    await createMigrationTable(sql);
    const applied = await listApplied(sql);
    refuseUnreleased(applied);
    for (const { number, text } of known) {
      const before = applied.get(number);
      if (before !== undefined) refuseOtherSchema(before.hash, hashOf(text));
    }
    const unknown = [...applied.keys()].find((number) => !known.some((migration) => migration.number === number));
    if (unknown !== undefined && migrations === undefined) {
      throw new KernelBotError(
        "unavailable",
        `the database has had migration ${unknown}, which is newer than this version of KernelBot; run the newer version`,
      );
    }
    for (const { number, name, text } of known) {
      if (applied.has(number)) continue;
      await sql.begin(async (transaction) => {
        await transaction.unsafe(text);
        await transaction`insert into schema_migration (number, name, hash) values (${number}, ${name}, ${hashOf(text)})`;
      });
    }
  } finally {
    await sql`select pg_advisory_unlock(${LOCK})`.catch(() => undefined);
  }
}

async function createMigrationTable(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create table if not exists schema_migration (
      number integer primary key,
      name text not null,
      applied_at timestamptz not null default now(),
      hash text
    );
    comment on table schema_migration is 'Migrations that were applied to this database.';
    comment on index schema_migration_pkey is 'Each migration is applied once.';
  `);
}

/** Returns the applied migrations by number. */
export async function listApplied(sql: postgres.Sql): Promise<Map<number, AppliedMigration>> {
  // Databases of earlier versions have no column hash.
  const rows = await sql<({ number: number } & AppliedMigration)[]>`
    select number, name, to_jsonb(schema_migration) ->> 'hash' as hash from schema_migration`;
  return new Map(rows.map(({ number, ...migration }) => [number, migration]));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
