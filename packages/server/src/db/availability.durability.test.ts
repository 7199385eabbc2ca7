/** A database that is frozen, full, slow or not started yet, as its clients see it. */
import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { expect, inject, test } from "vitest";
import { emptyDatabase, testDatabase, type TestDatabase } from "@kernelbot/testing/database.ts";
import { startFreezingRelay } from "@kernelbot/testing/freezing-relay.ts";
import { openClient } from "./client.ts";
import { openDatabase, type Database } from "./database.ts";
import { databaseUnavailable } from "./retry.ts";

const LIMITS = { statementMs: 60_000, silenceMs: 300 };
const refused = databaseUnavailable();

test("statements, transactions and queued transactions fail while the database is frozen, and work again afterwards", async () => {
  await using home = await testDatabase();
  await using relay = await startFreezingRelay(home);
  const logged: string[] = [];
  const database = await openDatabase({ url: relay.url, limits: LIMITS, log: (line) => void logged.push(line) });
  await database.sql`select 1`;
  relay.freeze();
  const transactions = Array.from({ length: 20 }, () =>
    database.db.transaction().execute((sql) => sql.selectFrom("account").select("id").execute()),
  );
  const outcomes = await Promise.allSettled([database.sql`select 1`, ...transactions]);
  expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "rejected"));
  expect(logged).toEqual(["the database stopped responding; requests are rejected until it recovers"]);
  await expect(database.sql`select 1`).rejects.toMatchObject({ code: "unavailable", message: refused.message });
  await expect(database.db.transaction().execute(() => Promise.resolve())).rejects.toMatchObject({
    code: "unavailable",
  });
  relay.thaw();
  await untilAnswers(database);
  expect(logged.at(-1)).toBe("the database is responding again");
  expect(await database.db.selectFrom("account").select("id").execute()).toEqual([]);
  await database.close();
});

test("a slow statement is not taken for a frozen database", async () => {
  await using home = await testDatabase();
  const logged: string[] = [];
  const limits = { statementMs: 60_000, silenceMs: 1000 };
  const database = await openDatabase({ url: home.url, limits, log: (line) => void logged.push(line) });
  expect(await database.sql`select 1 as one from pg_sleep(3)`).toEqual([{ one: 1 }]);
  expect(logged).toEqual([]);
  await database.close();
});

test("cancels a statement that exceeds its timeout, and a transaction that idles", async () => {
  await using home = await testDatabase();
  const database = await openDatabase({ url: home.url, limits: { statementMs: 200, silenceMs: 60_000 } });
  await expect(database.sql`select pg_sleep(60)`).rejects.toMatchObject({ code: "57014" });
  const idle = database.db.transaction().execute(async (sql) => {
    await sql.selectFrom("account").select("id").execute();
    await home.sql`select pg_sleep(1)`;
    await sql.selectFrom("account").select("id").execute();
  });
  await expect(idle).rejects.toThrow();
  expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
  await database.close();
});

test("tools have no statement timeout", async () => {
  await using database = await testDatabase();
  expect(await database.sql`show statement_timeout`).toEqual([{ statement_timeout: "0" }]);
});

test("the health check fails without space for temporary data or a free connection", async () => {
  await using database = await testDatabase();
  await database.check(10_000);
  await database.sql`alter system set temp_file_limit = '64kB'`;
  await database.sql`select pg_reload_conf()`;
  try {
    await expect.poll(() => database.check(10_000).catch((error: unknown) => error)).toMatchObject({ code: "53400" });
  } finally {
    await database.sql`alter system reset temp_file_limit`;
    await database.sql`select pg_reload_conf()`;
  }
  await expect(limited(database, (narrow) => narrow.check(10_000))).rejects.toMatchObject({ code: "53300" });
});

test("without free connections, statements use existing ones and transactions fail", async () => {
  await using database = await testDatabase();
  await limited(database, async (narrow) => {
    const answers = Array.from({ length: 20 }, () => narrow.sql`select 1 as one from pg_sleep(0.05)`);
    expect(await Promise.all(answers)).toEqual(answers.map(() => [{ one: 1 }]));
    const transaction = narrow.db.transaction().execute((sql) => sql.selectFrom("account").select("id").execute());
    await expect(transaction).rejects.toMatchObject({ code: "53300" });
  });
});

/** Opens the same database through a role that is limited to one connection. */
async function limited<Result>(database: TestDatabase, act: (narrow: Database) => Promise<Result>): Promise<Result> {
  const role = `narrow_${randomBytes(4).toString("hex")}`;
  const admin = openClient(database.connection);
  await admin.query(`create role ${role} login in role kernelbot connection limit 20`);
  const name = new URL(database.url).pathname.slice(1);
  const narrow = await openDatabase({ url: `postgres:///${name}?host=${inject("databaseSocket")}&user=${role}` });
  try {
    await narrow.sql`select 1`;
    await admin.query(`alter role ${role} connection limit 0`);
    return await act(narrow);
  } finally {
    await narrow.close();
    await admin.query(`drop role ${role}`);
    await admin.end(1);
  }
}

test("a starting server waits for an unavailable database and logs why once", async () => {
  await using home = await testDatabase();
  await using relay = await startFreezingRelay(home);
  const { port } = new URL(relay.url);
  await relay.refuse();
  const logged: string[] = [];
  const opening = openDatabase({
    url: relay.url,
    log: (line) => void logged.push(line),
    waiting: new AbortController().signal,
  });
  await expect.poll(() => logged).toEqual([`waiting for the database: connect ECONNREFUSED 127.0.0.1:${port}`]);
  await pause(1500);
  await relay.accept();
  const database = await opening;
  expect(await database.sql`select 1 as one`).toEqual([{ one: 1 }]);
  expect(logged).toHaveLength(1);
  await database.close();
});

test("stopping a server ends its wait for the database; a database that rejects its credentials is not waited for", async () => {
  const stop = new AbortController();
  const url = "postgres://kernelbot@127.0.0.1:1/none";
  const opening = openDatabase({ url, log: () => stop.abort(), waiting: stop.signal });
  await expect(opening).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/ECONNREFUSED/) as string,
  });
  const missing = (await emptyDatabase()).replace(/test_\w+/, "missing");
  const waiting = new AbortController().signal;
  await expect(openDatabase({ url: missing, waiting })).rejects.toThrow('database "missing" does not exist');
});

async function untilAnswers(database: Database): Promise<void> {
  const ask = () => database.sql`select 1 as one`.catch(() => null);
  await expect.poll(ask).toEqual([{ one: 1 }]);
}
