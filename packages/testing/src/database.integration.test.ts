import { sql } from "kysely";
import { expect, test } from "vitest";
import { createAccount } from "@kernelbot/server/src/auth/tokens.ts";
import { testDatabase, type TestDatabase } from "./database.ts";

const nameOf = async ({ sql: run }: TestDatabase) =>
  (await run<{ name: string }>`select current_database() as name`)[0]?.name;

test("the next test gets the database and its connections, with the content of the template", async () => {
  const first = await testDatabase();
  await createAccount(first, "ann");
  await first.sql`set work_mem = '64kB'`;
  await first.sql`select pg_advisory_lock(1)`;
  await first.sql`create temporary table account (id integer)`;
  const name = await nameOf(first);
  // A pool may have opened a second connection, and the next test may get either first.
  const connections = await first.sql`select pid from pg_stat_activity where datname = current_database()`;
  await first.close();

  await using second = await testDatabase();
  expect(await nameOf(second)).toBe(name);
  const [connection] = await second.sql`select pg_backend_pid() as pid`;
  expect(connections).toContainEqual(connection);
  expect(await second.sql`select count(*)::integer as accounts from account`).toEqual([{ accounts: 0 }]);
  expect(await second.sql`select current_setting('work_mem') as work_mem`).toEqual([{ work_mem: "4MB" }]);
  expect(
    await second.sql`select from pg_locks where locktype = 'advisory' and database = (
    select oid from pg_database where datname = current_database())`,
  ).toHaveLength(0);
  expect((await createAccount(second, "ann")).name).toBe("ann");
  await expect(first.sql`select 1`).rejects.toThrow(/stopping/);
});

test("a transaction that a test has left open is rolled back", async () => {
  const first = await testDatabase();
  const name = await nameOf(first);
  const begun = Promise.withResolvers<undefined>();
  const never = first.db.transaction().execute(async (transaction) => {
    await sql`insert into account (name) values ('ann')`.execute(transaction);
    begun.resolve(undefined);
    await new Promise(() => undefined);
  });
  await begun.promise;
  await first.close();
  void never;

  await using second = await testDatabase();
  expect(await nameOf(second)).toBe(name);
  expect(await second.sql`select name from account`).toEqual([]);
});

test("a database whose address another process may know, or whose schema was altered, is not kept", async () => {
  const shared = await testDatabase();
  const names = [await nameOf(shared)];
  expect(shared.url).toContain(names[0]);
  await shared.close();
  const altered = await testDatabase();
  names.push(await nameOf(altered));
  await altered.sql`alter table account add column more text`;
  await altered.close();

  await using next = await testDatabase();
  expect(names).not.toContain(await nameOf(next));
});
