/** Which statements and transactions are executed again when their connection breaks. */
import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@kernelbot/testing/database.ts";
import { idempotent } from "./idempotent.ts";
import { runTransaction } from "./transaction.ts";

/** Ends its own connection at the first evaluation, in whichever connection that is. */
const BREAK_ONCE = "(nextval('attempt') > 1 or pg_terminate_backend(pg_backend_pid()) and pg_sleep(5) is not null)";
const breakOnce = sql.raw<boolean>(BREAK_ONCE);

async function breakingDatabase(): Promise<TestDatabase> {
  const database = await testDatabase();
  await database.sql`create sequence attempt`;
  return database;
}

async function attempts({ sql }: TestDatabase): Promise<number> {
  const [row] = await sql<{ last_value: number }>`select last_value from attempt`;
  return row?.last_value ?? 0;
}

const names = async ({ db }: TestDatabase) =>
  (await db.selectFrom("account").select("name").execute()).map((a) => a.name);

test("a read whose connection breaks is executed again", async () => {
  await using database = await breakingDatabase();
  const { rows } = await sql`select ${breakOnce} as found`.execute(database.db);
  expect(rows).toEqual([{ found: true }]);
  expect(await attempts(database)).toBe(2);
});

test("a write whose connection breaks is executed again only if it is marked idempotent", async () => {
  await using database = await breakingDatabase();
  const insert = (name: string) => sql`insert into account (name) select ${name} where ${breakOnce}`;
  await expect(insert("once").execute(database.db)).rejects.toThrow();
  expect(await attempts(database)).toBe(1);
  await database.sql`select setval('attempt', 1, false)`;
  await insert("twice").execute(idempotent(database.db));
  expect(await names(database)).toEqual(["twice"]);
});

test("a transaction whose connection breaks before its commit is executed again, as a whole", async () => {
  await using database = await breakingDatabase();
  await runTransaction(database.db, async (transaction) => {
    await transaction.insertInto("account").values({ name: "ann" }).execute();
    await sql`select ${breakOnce}`.execute(transaction);
  });
  expect(await names(database)).toEqual(["ann"]);
  expect(await attempts(database)).toBe(2);
});

test("a transaction whose commit has no result is executed again only if it is idempotent", async () => {
  await using database = await breakingDatabase();
  await database.sql`create function break_once() returns trigger language plpgsql as $$
    begin
      if nextval('attempt') = 1 then perform pg_terminate_backend(pg_backend_pid()), pg_sleep(5); end if;
      return null;
    end $$`;
  await database.sql`create constraint trigger break_once after insert on account deferrable initially deferred
    for each row execute function break_once()`;
  const enter = (db: TestDatabase["db"], name: string) =>
    runTransaction(db, (transaction) => transaction.insertInto("account").values({ name }).execute());
  await expect(enter(database.db, "once")).rejects.toThrow();
  await database.sql`select setval('attempt', 1, false)`;
  await enter(idempotent(database.db), "twice");
  expect(await names(database)).toEqual(["twice"]);
});

test("an error of the statement is thrown at once", async () => {
  await using database = await breakingDatabase();
  const failing = runTransaction(database.db, async (transaction) => {
    await sql`select nextval('attempt')`.execute(transaction);
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  expect(await attempts(database)).toBe(1);
});
