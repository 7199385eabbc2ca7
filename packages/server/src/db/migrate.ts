/**
 * Brings a database to the current shape: runs the numbered files of `migrations/` that it has not had, each in a
 * transaction of its own, forward only. Several servers that start at once take turns.
 */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type postgres from "postgres";
import { KernelBotError } from "@kernelbot/core";

const DIRECTORY = join(import.meta.dirname, "migrations");

/** Any number that no one else locks. */
const LOCK = 7_236_114;

const OLDEST_POSTGRES = 15;

/** One file of `migrations/`. */
export interface Migration {
  number: number;
  name: string;
  text: string;
}

/** All migrations in order. */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(DIRECTORY)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).toSorted();
  return Promise.all(
    names.map(async (name) => ({
      number: Number(name.slice(0, 4)),
      name,
      text: await readFile(join(DIRECTORY, name), "utf8"),
    })),
  );
}

/**
 * @param sql A client of one connection, since it holds a lock of the session.
 * @throws KernelBotError `unavailable` where the database is too old, or was brought further by a newer KernelBot.
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
    const done = await appliedNumbers(sql);
    const unknown = [...done].find((number) => !known.some((migration) => migration.number === number));
    if (unknown !== undefined && migrations === undefined) {
      throw new KernelBotError(
        "unavailable",
        `the database has had migration ${unknown}, which this version of KernelBot does not know; run the newer version`,
      );
    }
    for (const { number, name, text } of known) {
      if (done.has(number)) continue;
      await sql.begin(async (transaction) => {
        await transaction.unsafe(text);
        await transaction`insert into schema_migration (number, name) values (${number}, ${name})`;
      });
    }
  } finally {
    await sql`select pg_advisory_unlock(${LOCK})`.catch(() => undefined);
  }
}

async function appliedNumbers(sql: postgres.Sql): Promise<Set<number>> {
  await sql.unsafe(`
    create table if not exists schema_migration (
      number integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    );
    comment on table schema_migration is 'The migrations that this database has had.';
    comment on index schema_migration_pkey is 'Each migration runs once.';
  `);
  const rows = await sql<{ number: number }[]>`select number from schema_migration`;
  return new Set(rows.map((row) => row.number));
}
