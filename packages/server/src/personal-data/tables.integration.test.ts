import { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { database, useScene } from "@kernelbot/testing/scene.ts";
import { FEATURES, PERSONAL_TABLES } from "../features.ts";

useScene();

/** Returns the names that a query of the catalog selects, sorted. */
async function names(text: string): Promise<string[]> {
  const { rows } = await database.db.executeQuery<{ name: string }>(CompiledQuery.raw(text));
  return rows.map(({ name }) => name).toSorted();
}

test("each table of the database is decided, so a new one is neither left out of exports nor of erasures", async () => {
  const tables = await names(`select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'schema_migration'`);
  expect(
    [
      ...PERSONAL_TABLES.map(({ table }) => table),
      ...FEATURES.flatMap(({ otherTables = [] }) => otherTables),
    ].toSorted(),
  ).toEqual(tables);
});

test("each column that refers to an account is decided", async () => {
  const columns = await names(`
    select k.table_name || '.' || k.column_name as name from information_schema.referential_constraints r
    join information_schema.key_column_usage k on k.constraint_name = r.constraint_name and k.table_schema = 'public'
    where r.unique_constraint_name = 'account_pkey'
    union select c.table_name || '.' || c.column_name from information_schema.columns c
    join information_schema.tables t on t.table_name = c.table_name and t.table_schema = c.table_schema
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name = 'account_id'`);
  const decided = PERSONAL_TABLES.flatMap(({ table, accounts }) => accounts.map((column) => `${table}.${column}`));
  expect(decided.toSorted()).toEqual(columns);
});

test("columns with secrets are never exported", async () => {
  const secrets = await names(`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and (column_name in ('secret', 'token', 'code', 'user_code')
      or (column_name in ('hash', 'browser_hash') and table_name in ('token', 'session', 'invite_link')))`);
  const exported = PERSONAL_TABLES.filter(({ notExported }) => notExported === undefined);
  const left = secrets.filter((name) =>
    exported.some(({ table, omit = [] }) => {
      const [of, column = ""] = name.split(".");
      return of === table && !omit.includes(column);
    }),
  );
  expect(left).toEqual([]);
});
