import type postgres from "postgres";
import { expect, test } from "vitest";
import { emptyDatabase } from "../testing/database.ts";
import { openDatabase, type Database } from "./database.ts";
import { openClient } from "./client.ts";
import { migrate, readMigrations } from "./migrate.ts";

const migrations = await readMigrations();

/** Everything that a schema consists of, as lines. */
async function shapeOf(url: string): Promise<string[]> {
  const database = await openDatabase({ url });
  const rows = await database.sql<{ line: string }>`
    select table_name || '.' || column_name || ' ' || data_type as line from information_schema.columns
      where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
    union all select proname || md5(prosrc) from pg_proc where pronamespace = 'public'::regnamespace
    order by 1`;
  await database.close();
  return rows.map((row) => row.line);
}

async function migratedBy(count: number, fill?: (sql: postgres.Sql) => Promise<unknown>): Promise<string> {
  const url = await emptyDatabase();
  const database = new URL(url);
  const client = openClient({
    path: `${database.searchParams.get("host")}/.s.PGSQL.5432`,
    user: "kernelbot",
    database: database.pathname.slice(1),
  });
  await migrate(client.sql, migrations.slice(0, count));
  await fill?.(client.sql);
  await client.end(1);
  return url;
}

test("migrations run in the order of their numbers, and no two have the same", () => {
  const numbers = migrations.map((migration) => migration.number);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  expect(numbers[0]).toBe(1);
});

const whole = await shapeOf(await migratedBy(0));

test.each(migrations.map((_, count) => count).slice(1))(
  "a database that has had %i migrations comes to the same shape as an empty one",
  async (count) => {
    expect(whole.length).toBeGreaterThan(50);
    expect(await shapeOf(await migratedBy(count))).toEqual(whole);
  },
);

test("servers that start at once migrate once", async () => {
  const url = await emptyDatabase();
  const opened = await Promise.all([1, 2, 3, 4].map(() => openDatabase({ url })));
  const [first] = opened as [Database, ...Database[]];
  const rows = await first.sql`select number from schema_migration`;
  await Promise.all(opened.map((database) => database.close()));
  expect(rows).toHaveLength(migrations.length);
});

test("a database from the future is refused with a sentence", async () => {
  const url = await emptyDatabase();
  const database = await openDatabase({ url });
  await database.sql`insert into schema_migration (number, name) values (9999, '9999_future.sql')`;
  await database.close();
  await expect(openDatabase({ url })).rejects.toThrow("the database has had migration 9999");
});

test("every table, view and index says why it is there", async () => {
  const database = await openDatabase({ url: await emptyDatabase() });
  const silent = await database.sql`
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i', 'v') and obj_description(oid) is null`;
  await database.close();
  expect(silent.map((row) => row["relname"] as string)).toEqual([]);
});

test("boards of the time before editions show the version in force, and a dropped target the last that had it", async () => {
  const [one, two, three] = ["1", "2", "3"].map((digit) => digit.repeat(64)) as [string, string, string];
  const before = migrations.filter(({ number }) => number < 30).length;
  const url = await migratedBy(before, async (sql) => {
    for (const [hash, targets, day] of [
      [one, '{"cpu": {}, "H100": {}}', "2026-01-01"],
      [two, '{"cpu": {}, "H100": {}}', "2026-01-02"],
      [three, '{"cpu": {}}', "2026-01-03"],
    ] as const) {
      await sql`insert into problem_version (hash, problem, spec, files, created_at)
        values (${hash}, 'sum', ${`{"targets": ${targets}}`}::text::json, '{}', ${day}::text::timestamptz)`;
    }
    await sql`insert into problem (name, set_name, version) values ('sum', 'set', ${three})`;
    await sql`insert into board (problem, target, accepts) values ('sum', 'cpu', true), ('sum', 'H100', false)`;
  });
  const database = await openDatabase({ url });
  const boards = await database.sql`select target, edition, version from board order by target`;
  await database.close();
  expect([...boards]).toEqual([
    { target: "H100", edition: 2, version: two },
    { target: "cpu", edition: 3, version: three },
  ]);
});
