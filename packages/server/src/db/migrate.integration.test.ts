import { cp, mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, inject, test } from "vitest";
import { describeSchema } from "@kernelbot/testing/catalog.ts";
import { emptyDatabase } from "@kernelbot/testing/database.ts";
import { backUp } from "../operations/backups/backup.ts";
import { onDisk } from "../operations/backups/folder.ts";
import { externalConnection, openDatabase, type Database } from "./database.ts";
import { openClient } from "./client.ts";
import { migrate, readMigrations, type Migration } from "./migrate.ts";
import { readSchema } from "./schema.ts";

const SCHEMA = join(import.meta.dirname, "../../schema");

const migrations = await readMigrations();

/** Returns the catalog and the row counts of an empty database after these migrations. */
async function schemaAfter(applied: readonly Migration[]): Promise<string[]> {
  const url = new URL(await emptyDatabase());
  const client = openClient({
    path: `${url.searchParams.get("host")}/.s.PGSQL.5432`,
    user: "kernelbot",
    database: url.pathname.slice(1),
  });
  await migrate(client, applied);
  const lines = await describeSchema(client.sql);
  await client.end(1);
  return lines;
}

/** Returns the schema that the files of a folder create, without any migration file. */
async function schemaOf(folder: string): Promise<string[]> {
  return schemaAfter([{ number: 1, name: "schema", text: await readSchema(folder) }]);
}

/** Returns copies of the schema and of an empty migrations folder, into which the schema is frozen as at a release. */
async function released(): Promise<{ schema: string; directory: string }> {
  const folder = await mkdtemp(join(inject("scratch"), "released-"));
  const [schema, directory] = [join(folder, "schema"), join(folder, "migrations")];
  await cp(SCHEMA, schema, { recursive: true });
  await mkdir(directory);
  await writeFile(join(directory, "0001_schema.sql"), await readSchema(schema));
  return { schema, directory };
}

test("migrations run in numerical order, and no two have the same number", () => {
  const numbers = migrations.map((migration) => migration.number);
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  expect(numbers[0]).toBe(1);
});

test("the schema files equal the result of all migrations", async () => {
  const whole = await schemaOf(SCHEMA);
  expect(whole.length).toBeGreaterThan(1000);
  expect(await schemaAfter(migrations)).toEqual(whole);
});

test("after a release, changing a schema file without a migration is a difference", async () => {
  const { schema, directory } = await released();
  const accounts = join(schema, "tables/accounts.sql");
  await writeFile(accounts, (await readFile(accounts, "utf8")).concat("alter table account add column motto text;\n"));
  const whole = await schemaOf(schema);
  const created = await schemaAfter(await readMigrations(directory, schema));
  expect(whole.filter((line) => !created.includes(line))).toEqual([
    expect.stringMatching(/^column account\.motto #\d+ text/) as string,
  ]);
});

test("after a release, changing a schema file with a matching migration is not a difference", async () => {
  const { schema, directory } = await released();
  const accounts = join(schema, "tables/accounts.sql");
  await writeFile(accounts, (await readFile(accounts, "utf8")).concat("alter table account add column motto text;\n"));
  await writeFile(join(directory, "0002_mottos.sql"), "alter table account add column motto text;\n");
  expect(await schemaAfter(await readMigrations(directory, schema))).toEqual(await schemaOf(schema));
});

test("after a release, a migration without a schema change is a difference", async () => {
  const { schema, directory } = await released();
  await writeFile(join(directory, "0002_mottos.sql"), "comment on table account is 'People and programs.';\n");
  expect(await schemaAfter(await readMigrations(directory, schema))).not.toEqual(await schemaOf(schema));
});

test("a schema file missing from order.txt is an error", async () => {
  const { schema } = await released();
  await writeFile(join(schema, "tables/forgotten.sql"), "create table forgotten ();\n");
  await expect(readSchema(schema)).rejects.toThrow("order.txt does not list tables/forgotten.sql");
});

test("each function and view file defines the object of its name, functions have comments, and no file changes a definition", async () => {
  const folders = ["functions", "views"] as const;
  for (const folder of folders) {
    for (const file of await readdir(join(SCHEMA, folder))) {
      const text = await readFile(join(SCHEMA, folder, file), "utf8");
      const defined = Array.from(text.matchAll(/^create (?:function|view|table) (\w+)/gm), (match) => match[1]);
      expect(defined, `${folder}/${file}`).toEqual([file.slice(0, -".sql".length)]);
      if (folder === "functions") expect(text, `${folder}/${file}`).toMatch(/^-- [A-Z]/);
    }
  }
  expect(await readSchema()).not.toMatch(/^(create or replace|alter|drop) /m);
});

/** Options of a server, which waits for a database that is unavailable, and must not wait for one that it cannot use. */
const asServer = { waiting: new AbortController().signal };

test("a first start continues when its connection is cut while it creates the tables", async () => {
  const url = await emptyDatabase();
  const [admin, other] = [openClient(externalConnection(url)), openClient(externalConnection(url))];
  // A start waits for this transaction before it creates the same table.
  await other.query("begin");
  await other.query("create table account ()");
  const opening = openDatabase({ url, ...asServer });
  const cut = async () =>
    await admin.query(`select pg_terminate_backend(pid, 60000) as cut from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
  for (let times = 0; times < 3; times += 1) await expect.poll(cut).toMatchObject([{ cut: true }]);
  await other.query("rollback");
  const database = await opening;
  expect(await database.sql`select number from schema_migration`).toHaveLength(migrations.length);
  await Promise.all([database.close(), admin.end(1), other.end(1)]);
});

test("servers that start concurrently migrate once", async () => {
  const url = await emptyDatabase();
  const opened = await Promise.all([1, 2, 3, 4].map(() => openDatabase({ url })));
  const [first] = opened as [Database, ...Database[]];
  const rows = await first.sql`select number from schema_migration`;
  await Promise.all(opened.map((database) => database.close()));
  expect(rows).toHaveLength(migrations.length);
});

test("rejects a database with newer migrations with an explanation", async () => {
  const url = await emptyDatabase();
  const database = await openDatabase({ url });
  await database.sql`insert into schema_migration (number, name) values (9999, '9999_future.sql')`;
  await database.close();
  await expect(openDatabase({ url, ...asServer })).rejects.toThrow("the database has had migration 9999");
});

test.each([
  ["update schema_migration set hash = repeat('a', 64)", "with schema aaaaaaaaaaaa, but"],
  ["alter table schema_migration drop column hash", "with schema of an earlier version, but"],
])("rejects a database that another state of the schema created: %s", async (change, created) => {
  const url = await emptyDatabase();
  const database = await openDatabase({ url });
  await sql.raw(change).execute(database.db);
  await database.close();
  const opened = openDatabase({ url, ...asServer });
  await expect(opened).rejects.toThrow(`the database was created ${created}`);
  await expect(opened).rejects.toThrow('or start this version with an empty data directory ("--data DIRECTORY")');
  const folder = onDisk(await mkdtemp(join(inject("scratch"), "backup-")));
  const backup = backUp({
    folder,
    connection: externalConnection(url),
    store: null,
    datasets: "",
    log: () => undefined,
  });
  await expect(backup).rejects.toThrow("run the version that created it");
  expect(await folder.list()).toEqual([]);
});

test("every table, view and index has a comment with its purpose", async () => {
  const database = await openDatabase({ url: await emptyDatabase() });
  const silent = await database.sql`
    select relname from pg_class
    where relnamespace in ('public'::regnamespace, 'leaderboard'::regnamespace) and relkind in ('r', 'i', 'v')
      and obj_description(oid) is null`;
  await database.close();
  expect(silent.map((row) => row["relname"] as string)).toEqual([]);
});
