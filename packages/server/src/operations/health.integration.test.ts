/** Readiness with a real database and a real folder. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { openDirectoryStore } from "../artifacts/directory.ts";
import { testDatabase, type TestDatabase } from "@kernelbot/testing/database.ts";
import { openHealth } from "./health.ts";

let database: TestDatabase;
let told: string[];
let folder: string;
beforeAll(async () => {
  database = { ...(await testDatabase()), log: (sentence) => void told.push(sentence) };
});
beforeEach(() => {
  told = [];
  folder = mkdtempSync(join(inject("scratch"), "health-"));
});
afterAll(() => database.close());

const open = async (stopping = new AbortController().signal) =>
  openHealth(database, await openDirectoryStore(folder), stopping);
const WELL = { database: "ok", schema: "ok", store: "ok", serving: "ok" };

test("a server whose database and store are well is ready, and says nothing of it", async () => {
  expect(await (await open()).readiness()).toEqual({ ready: true, checks: WELL });
  expect(told).toEqual([]);
});

test("a server that is asked to stop is not ready, though all is well", async () => {
  const checks = { ...WELL, serving: "the server is stopping" };
  expect(await (await open(AbortSignal.abort())).readiness()).toEqual({ ready: false, checks });
});

test("a server whose database a newer one has migrated is not ready, and says which to run", async () => {
  await database.sql`insert into schema_migration (number, name) values (9999, '9999_future.sql')`;
  const { ready, checks } = await (await open()).readiness();
  await database.sql`delete from schema_migration where number = 9999`;
  expect([ready, checks.database]).toEqual([false, "ok"]);
  expect(checks.schema).toMatch(
    /^the database was brought to migration 9999 by a newer KernelBot, .*run the newer one$/,
  );
});

test("what is wrong is told to everybody, and why to the operator alone, once", async () => {
  const health = await open();
  rmSync(folder, { recursive: true });
  const { ready, checks } = await health.readiness();
  expect([ready, checks.store]).toEqual([false, "the object store cannot be written"]);
  expect(told).toEqual([expect.stringMatching(/^not ready: the object store cannot be written: ENOENT.*health-/)]);
  await health.readiness();
  expect(told).toHaveLength(1);
});

test("a database that is away leaves the server alive and not ready", async () => {
  const health = await open();
  vi.spyOn(database, "sql").mockRejectedValueOnce(new Error("connection refused"));
  const { ready, checks } = await health.readiness();
  expect([ready, checks.database, checks.schema]).toEqual([false, "the database does not answer", "unknown"]);
});
