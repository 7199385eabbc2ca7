/** The watchdog in a process whose event loop is late: it cuts no connection, since the database answers. */
import { expect, test } from "vitest";
import { testDatabase } from "@kernelbot/testing/database.ts";
import { openDatabase, type Database } from "./database.ts";

const SILENCE_MS = 300;

test.for([
  ["for longer than the limit", 4 * SILENCE_MS],
  ["in each of its turns", SILENCE_MS / 2],
] as const)("an event loop that is blocked %s cuts no connection", async ([, blockedMs]) => {
  await using home = await testDatabase();
  const logged: string[] = [];
  const limits = { statementMs: 60_000, silenceMs: SILENCE_MS };
  const database = await openDatabase({ url: home.url, limits, log: (line) => void logged.push(line) });
  // Statements are pending all the time, so the watchdog probes every second; each probe meets blocked turns.
  const over = Promise.allSettled([database.sql`select 1 as one from pg_sleep(4)`, transaction(database)]);
  const blocking = setInterval(() => block(blockedMs));
  const outcomes = await over;
  clearInterval(blocking);
  expect(outcomes).toEqual([
    { status: "fulfilled", value: [{ one: 1 }] },
    { status: "fulfilled", value: 0 },
  ]);
  expect(logged).toEqual([]);
  await database.close();
});

/** Executes statements that follow each other, over a connection of their own. */
async function transaction(database: Database): Promise<number> {
  return database.db.transaction().execute(async (sql) => {
    await sql.selectFrom("account").select("id").execute();
    return (await sql.selectFrom("account").select("id").execute()).length;
  });
}

/** Blocks the thread, as a long computation or a machine that gives it no processor does. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
