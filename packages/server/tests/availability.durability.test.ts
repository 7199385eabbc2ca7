/** Responses while the database hangs, is full, or accepts no more connections. */
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { openDatabase } from "../src/db/database.ts";
import { testDatabase, type TestDatabase } from "@kernelbot/testing/database.ts";
import { problemFiles, problemTree, request } from "@kernelbot/testing/fixtures.ts";
import { startFreezingRelay, type FreezingRelay } from "@kernelbot/testing/freezing-relay.ts";
import { openServerWith, type TestServer } from "@kernelbot/testing/server.ts";
import { TEMPLATE_WITH_PROBLEMS } from "@kernelbot/testing/template.ts";

let home: TestDatabase;
let relay: FreezingRelay;
let testServer: TestServer;
let token: string;

beforeEach(async () => {
  home = await testDatabase(TEMPLATE_WITH_PROBLEMS);
  relay = await startFreezingRelay(home);
  const database = await openDatabase({ url: relay.url, limits: { statementMs: 60_000, silenceMs: 300 } });
  const storeFolder = mkdtempSync(join(inject("scratch"), "availability-"));
  testServer = await openServerWith(database, {
    problemsFolder: problemTree({ "set/double": problemFiles() }),
    storeFolder,
  });
  token = await testServer.token("ann");
});
afterEach(async () => {
  await relay[Symbol.asyncDispose]();
  await testServer[Symbol.asyncDispose]();
  await home.close();
});

const submit = (key: string) =>
  testServer.ask("/api/v1/submissions", token, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(request()),
  });

async function answer(response: Promise<Response>): Promise<unknown> {
  const { status, headers } = await response;
  return { status, retryAfter: headers.get("retry-after") };
}

const UNAVAILABLE = { status: 503, retryAfter: "5" };

test("reads and submissions return 503 with Retry-After while the database is frozen, and /readyz reports it", async () => {
  // A busy machine may be silent for longer than the limit.
  await expect.poll(async () => (await submit("before")).status).toBe(202);
  relay.freeze();
  expect(await Promise.all([answer(testServer.ask("/api/v1/problems")), answer(submit("during"))])).toEqual([
    UNAVAILABLE,
    UNAVAILABLE,
  ]);
  expect(await (await testServer.ask("/readyz")).json()).toMatchObject({
    ready: false,
    checks: { database: "the database is not responding" },
  });
  expect((await testServer.ask("/healthz")).status).toBe(200);
  relay.thaw();
  await expect.poll(async () => (await submit("after")).status).toBe(202);
});

test.each([
  ["the disk of the database is full", "53100"],
  ["the database lacks memory", "53200"],
  ["the database has no free connections", "53300"],
  ["the database cannot write", "58030"],
  ["a statement was canceled", "57014"],
  ["the database has become a standby", "25006"],
])("a submission while %s returns 503 with Retry-After", async (_, code) => {
  const body = `begin raise exception 'as if' using errcode = '${code}'; end`;
  await sql.raw(`create function fail() returns trigger language plpgsql as $$ ${body} $$`).execute(home.db);
  await sql`create trigger fail before insert on submission for each row execute function fail()`.execute(home.db);
  expect(await answer(submit("during"))).toEqual(UNAVAILABLE);
});
