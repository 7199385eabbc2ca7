/**
 * Migrates a database to the current schema: applies the missing migrations in the order of their numbers, each in its
 * own transaction. Migrations cannot be reverted. An advisory lock serialises servers that start at the same time.
 */
import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { KernelBotError } from "@kernelbot/core";
import type { Client } from "./client.ts";
import { readSchema } from "./schema.ts";

const DIRECTORY = join(import.meta.dirname, "migrations");

/** Key of the advisory lock, which no other code uses. */
const LOCK = 7_236_114;

const OLDEST_POSTGRES = 15;

export interface Migration {
  number: number;
  name: string;
  text: string;
}

/** Says what an operator can do with a database that this version cannot use. */
const REMEDY =
  "no version of KernelBot before the first release moves data from one schema to another: run the version that created it, " +
  'with its data directory, or start this version with an empty data directory ("--data DIRECTORY") or database';

/** A migration that a database has had. */
interface AppliedMigration {
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
 * @param client Its connection has the advisory lock until the last migration.
 * @throws KernelBotError `conflict` if PostgreSQL is too old, or the database was created from another state of
 * the schema, or migrated by a newer version of KernelBot.
 */
export async function migrate(client: Client, migrations?: readonly Migration[]): Promise<void> {
  const known = migrations ?? (await readMigrations());
  const [server] = await client.query("select current_setting('server_version_num')::int / 10000 as version");
  const version = Number(server?.["version"]);
  if (version < OLDEST_POSTGRES) {
    throw new KernelBotError(
      "conflict",
      `the database is PostgreSQL ${version}; KernelBot needs ${OLDEST_POSTGRES} or newer`,
    );
  }
  await client.query("select pg_advisory_lock($1)", [LOCK]);
  try {
    await createMigrationTable(client);
    const applied = await listApplied(client);
    refuseOther(applied, known);
    const unknown = [...applied.keys()].find((number) => !known.some((migration) => migration.number === number));
    if (unknown !== undefined && migrations === undefined) {
      throw new KernelBotError(
        "conflict",
        `the database has had migration ${unknown}, which is newer than this version of KernelBot; run the newer version`,
      );
    }
    for (const { number, name, text } of known) {
      if (applied.has(number)) continue;
      // One message of several statements: PostgreSQL executes it as one transaction.
      await client.query(
        `${text}; insert into schema_migration (number, name, hash) values (${number}, '${name}', '${hashOf(text)}')`,
      );
    }
  } finally {
    await client.query("select pg_advisory_unlock($1)", [LOCK]).catch(() => undefined);
  }
}

/**
 * Refuses a database whose tables are not those of this version's migrations, as far as they were applied.
 * @throws KernelBotError `conflict` that says what an operator can do.
 */
export function refuseOther(applied: ReadonlyMap<number, AppliedMigration>, known: readonly Migration[]): void {
  for (const { number, text } of known) {
    const before = applied.get(number);
    if (before !== undefined) refuseOtherSchema(before.hash, hashOf(text));
  }
}

/**
 * Refuses a database that was created from another state of the schema files: before the first release they change
 * without migrations.
 * @param created SHA-256 of the schema that created the database; null if the database is older than this record.
 * @throws KernelBotError `conflict` that says what an operator can do.
 */
function refuseOtherSchema(created: string | null, current: string): void {
  if (created === current) return;
  throw new KernelBotError(
    "conflict",
    `the database was created with schema ${created?.slice(0, 12) ?? "of an earlier version"}, but this version of KernelBot has ` +
      `schema ${current.slice(0, 12)}; ${REMEDY}`,
  );
}

async function createMigrationTable(client: Client): Promise<void> {
  await client.query(`
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
export async function listApplied(client: Client): Promise<Map<number, AppliedMigration>> {
  // Databases of earlier versions have no column hash.
  const rows = (await client.query(
    "select number, name, to_jsonb(schema_migration) ->> 'hash' as hash from schema_migration",
  )) as unknown as ({ number: number } & AppliedMigration)[];
  return new Map(rows.map(({ number, ...migration }) => [number, migration]));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
