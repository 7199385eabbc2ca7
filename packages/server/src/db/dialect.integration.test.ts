import { sql } from "kysely";
import { expect, test } from "vitest";
import { testDatabase } from "@kernelbot/testing/database.ts";
import { runTransaction } from "./transaction.ts";

test("rolls back a transaction that throws", async () => {
  await using database = await testDatabase();
  const { db } = database;
  const failing = db.transaction().execute(async (transaction) => {
    await transaction.insertInto("account").values({ name: "ann" }).execute();
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  expect(await db.selectFrom("account").select("name").execute()).toEqual([]);
});

test("rolls back a transaction whose connection breaks, and the next one works", async () => {
  await using database = await testDatabase();
  const { db } = database;
  const broken = db.transaction().execute(async (transaction) => {
    await transaction.insertInto("account").values({ name: "before" }).execute();
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
    await sql`select pg_terminate_backend(${rows[0]?.pid ?? 0}, 5000)`.execute(db);
    await transaction.insertInto("account").values({ name: "after" }).execute();
  });
  await expect(broken).rejects.toThrow();
  await db.transaction().execute((next) => next.insertInto("account").values({ name: "next" }).execute());
  expect(await db.selectFrom("account").select("name").execute()).toEqual([{ name: "next" }]);
});

test("transactions beyond the session limit wait", async () => {
  await using database = await testDatabase();
  const names = Array.from({ length: 30 }, (_, index) => `account ${index}`);
  await Promise.all(
    names.map((name) =>
      database.db.transaction().execute((transaction) => transaction.insertInto("account").values({ name }).execute()),
    ),
  );
  expect(await database.db.selectFrom("account").select("name").execute()).toHaveLength(names.length);
});

test("64-bit integers are numbers, also in arrays", async () => {
  await using database = await testDatabase();
  const { rows } = await sql`select 9007199254740991::bigint as one, array[1, 2]::bigint[] as many`.execute(
    database.db,
  );
  expect(rows).toEqual([{ one: Number.MAX_SAFE_INTEGER, many: [1, 2] }]);
});

test("prepares statements without parameters too", async () => {
  await using database = await testDatabase();
  await database.db.connection().execute(async (db) => {
    await sql`select 7`.execute(db);
    const { rows } = await sql`select from pg_prepared_statements where statement = ${"select 7"}`.execute(db);
    expect(rows).toHaveLength(1);
  });
});

test("rejects queries after closing immediately", async () => {
  const database = await testDatabase();
  await database.close();
  const refused = { code: "unavailable", message: "the server is stopping; try again in a moment" };
  await expect(database.db.selectFrom("account").select("id").execute()).rejects.toMatchObject(refused);
  await expect(runTransaction(database.db, () => Promise.resolve())).rejects.toMatchObject(refused);
});
