/** COPY over a real connection ends, whatever the sizes of its rows and whatever fails. */
import { Readable, Writable } from "node:stream";
import { createGzip } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@kernelbot/testing/database.ts";
import { startFreezingRelay } from "@kernelbot/testing/freezing-relay.ts";
import { openClient, type Client } from "./client.ts";
import { copyIn, copyOut } from "./copy.ts";

let database: TestDatabase;
let client: Client;
beforeEach(async () => {
  database = await testDatabase();
  client = openClient(database.connection);
});
afterEach(async () => {
  await client.end(0);
  await database.close();
});

/** Returns a stream that discards chunks one at a time, each after a delay, and counts their bytes. */
function sink(delayMs = 0): Writable & { bytes: number } {
  const into = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _, done) {
      counted.bytes += chunk.length;
      setTimeout(done, delayMs);
    },
  });
  const counted = Object.assign(into, { bytes: 0 });
  return counted;
}

test.each([
  [1, 1],
  [100, 10_000],
  [1, 70_000],
  [2, 70_000],
  [3, 70_000],
  [20, 70_000],
  [2, 3_000_000],
])("copies %i rows of %i bytes, and the connection remains usable", async (rows, size) => {
  await client.query("begin");
  const into = sink();
  await copyOut(client, `copy (select repeat('x', ${size}) from generate_series(1, ${rows})) to stdout`, [into]);
  expect(into.bytes).toBe(rows * (size + 1));
  expect(await client.query("select 1 as one")).toMatchObject([{ one: 1 }]);
  await client.query("commit");
});

test("a copy whose file cannot be written fails and ends the connection", async () => {
  const full = new Writable({ write: (_chunk, _, done) => done(new Error("no space left on device")) });
  const rows = "copy (select repeat('x', 70000) from generate_series(1, 100)) to stdout";
  await expect(copyOut(client, rows, [createGzip(), full])).rejects.toThrow("no space left on device");
  await expect(client.query("select 1")).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
});

test("a copy that the database aborts fails with its error", async () => {
  const rows = "copy (select repeat('x', 70000), 1 / (50 - n) from generate_series(1, 100) n) to stdout";
  await expect(copyOut(client, rows, [sink()])).rejects.toThrow("division by zero");
});

test("copies into a table, and the connection remains usable", async () => {
  await client.query("create temporary table t (n integer primary key, text text)");
  const lines = Array.from({ length: 100 }, (_, n) => `${n}\t${"x".repeat(70_000)}\n`);
  await copyIn(client, "copy t from stdin", [Readable.from(lines)]);
  expect(await client.query("select count(*), sum(length(text)) from t")).toMatchObject([
    { count: 100, sum: 7_000_000 },
  ]);
});

test.each([
  ["first", [1, 1, 2]],
  ["last", [1, 2, 2]],
])("a copy into a table fails with the database's error on its %s rows", async (_, keys) => {
  await client.query("create temporary table t (n integer primary key)");
  const lines = Readable.from(keys.map((n) => `${n}\n`));
  await expect(copyIn(client, "copy t from stdin", [lines])).rejects.toMatchObject({ code: "23505" });
});

test("a copy into a table from an unreadable file fails with the reason", async () => {
  await client.query("create temporary table t (n integer)");
  const broken = new Readable({ read: () => broken.destroy(new Error("incorrect data check")) });
  await expect(copyIn(client, "copy t from stdin", [broken])).rejects.toThrow("incorrect data check");
});

test("a stalled copy fails after its timeout, in both directions", async () => {
  const rows = "copy (select pg_sleep(n) from generate_series(0, 60, 60) n) to stdout";
  await expect(copyOut(client, rows, [sink()], { stallMs: 300 })).rejects.toThrow(
    "a copy stalled: no data transferred",
  );
  await expect(client.query("select 1")).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  const second = openClient(database.connection);
  await second.query("create temporary table t (n integer)");
  const silent = new Readable({ read: () => undefined });
  await expect(copyIn(second, "copy t from stdin", [silent], { stallMs: 300 })).rejects.toThrow("a copy stalled");
  await second.end(0);
});

test("a copy from a database that stopped responding fails after its timeout", async () => {
  await using relay = await startFreezingRelay(database);
  const through = openClient({ url: relay.url });
  await through.query("select 1");
  relay.freeze();
  const rows = "copy (select 1) to stdout";
  await expect(copyOut(through, rows, [sink()], { stallMs: 300 })).rejects.toThrow("a copy stalled");
  await through.end(0);
});
