/** Readiness with a real database and a real folder. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { openDirectoryStore } from "../artifacts/directory.ts";
import { testDatabase, type TestDatabase } from "@kernelbot/testing/database.ts";
import { openHealth } from "./health.ts";

let database: TestDatabase;
let logged: string[];
let folder: string;
beforeAll(async () => {
  database = { ...(await testDatabase()), log: (sentence) => void logged.push(sentence) };
});
beforeEach(() => {
  logged = [];
  folder = mkdtempSync(join(inject("scratch"), "health-"));
});
afterAll(() => database.close());

const open = async (stopping = new AbortController().signal) =>
  openHealth(database, await openDirectoryStore(folder), stopping);
const WELL = { database: "ok", schema: "ok", store: "ok", serving: "ok" };

test("a server with a working database and store is ready, and logs nothing", async () => {
  expect(await (await open()).readiness()).toEqual({ ready: true, checks: WELL });
  expect(logged).toEqual([]);
});

test("a stopping server is not ready", async () => {
  const checks = { ...WELL, serving: "the server is stopping" };
  expect(await (await open(AbortSignal.abort())).readiness()).toEqual({ ready: false, checks });
});

test("a server whose database has a newer migration is not ready, and names the version to run", async () => {
  await database.sql`insert into schema_migration (number, name) values (9999, '9999_future.sql')`;
  const { ready, checks } = await (await open()).readiness();
  await database.sql`delete from schema_migration where number = 9999`;
  expect([ready, checks.database]).toEqual([false, "ok"]);
  expect(checks.schema).toMatch(/^the database is at migration 9999 of a newer KernelBot, .*run the newer version$/);
});

test("reports the fault to all callers, and its cause once to the operator's log", async () => {
  const health = await open();
  rmSync(folder, { recursive: true });
  const { ready, checks } = await health.readiness();
  expect([ready, checks.store]).toEqual([false, "the object store is not writable"]);
  expect(logged).toEqual([expect.stringMatching(/^not ready: the object store is not writable: ENOENT.*health-/)]);
  await health.readiness();
  expect(logged).toHaveLength(1);
});

test("an unreachable database leaves the server alive and not ready", async () => {
  const health = await open();
  vi.spyOn(database, "sql").mockRejectedValueOnce(new Error("connection refused"));
  const { ready, checks } = await health.readiness();
  expect([ready, checks.database, checks.schema]).toEqual([false, "the database is not responding", "unknown"]);
});

test("a server whose database is read-only is not ready", async () => {
  const health = await open();
  const [row] = await database.sql<{ name: string }>`select current_database() as name`;
  const set = (value: string) => sql.raw(`alter database "${row?.name}" ${value}`).execute(database.db);
  await set("set default_transaction_read_only = on");
  try {
    const { ready, checks } = await health.readiness();
    expect([ready, checks.database]).toEqual([false, "the database is read-only"]);
  } finally {
    await set("reset default_transaction_read_only");
  }
});
