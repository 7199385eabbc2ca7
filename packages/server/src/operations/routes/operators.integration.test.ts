/** The app for operators: metrics on a separate address, and a log with the ids of submissions and runs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Kysely } from "kysely";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Claimed } from "@kernelbot/core";
import { openClient, type Client } from "../../db/client.ts";
import type { Database } from "../../db/database.ts";
import { postgresDialect } from "../../db/dialect.ts";
import { openPool } from "../../db/pool.ts";
import { databaseClosed } from "../../db/retry.ts";
import { openSessions } from "../../db/sessions.ts";
import type { Tables } from "../../db/tables.ts";
import { logMilestones, openLog } from "../../observe/log.ts";
import {
  clientsRefused,
  computationSeconds,
  countMilestones,
  databaseErrors,
  registry,
} from "../../observe/metrics.ts";
import { recordMilestone } from "../../observe/milestones.ts";
import { openHealth } from "../health.ts";
import { readMetrics } from "../measures.ts";
import { measureStore } from "../measured-store.ts";
import { MACHINE, passing, request } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { createOperatorsApp } from "./operators.ts";

let testServer: TestServer;
const logged: Record<string, unknown>[] = [];
const log = openLog("info", { write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>) });
let ends: (() => void)[];
let submissionId: number;
let run: Claimed;

const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

beforeAll(async () => {
  // Other test files of this process have counted too.
  registry.resetMetrics();
  testServer = await openTestServer();
  ends = [logMilestones(log), countMilestones()];
  const [ann, box] = await Promise.all([testServer.token("ann"), testServer.token("box", ["runner"], ["cpu"])]);
  const accepted = await testServer.ask("/api/v1/submissions", ann, json(request({ mode: "test" })));
  submissionId = ((await accepted.json()) as { id: number }).id;
  await testServer.ask("/api/v1/submissions", ann, json(request({ mode: "benchmark" })));
  const claim = { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 };
  run = Claimed.parse(await (await testServer.ask("/api/v1/runner/claim", box, json(claim))).json());
  const events = passing("test");
  await testServer.ask(`/api/v1/runner/runs/${run.runId}/report`, box, json({ attempt: 1, from: 0, events }));
  await testServer.ask("/no/such/page-4711", ann);
});
afterAll(async () => {
  ends.forEach((end) => end());
  await testServer[Symbol.asyncDispose]();
});

async function metrics(database = testServer.database): Promise<string[]> {
  const health = await openHealth(database, testServer.store, new AbortController().signal);
  const app = createOperatorsApp(database, health, log, testServer.storeFolder);
  const response = await app.request("/metrics");
  expect(response.headers.get("content-type")).toContain("version=0.0.4");
  return (await response.text()).split("\n");
}

test("metrics report the queue, runners, claims, verdicts and the server's state", async () => {
  await measureStore(testServer.store).check();
  const lines = await metrics();
  expect(lines).toEqual(
    expect.arrayContaining([
      "kernelbot_database_up 1",
      'kernelbot_runs_open{target="cpu",state="queued"} 1',
      'kernelbot_runners{target="cpu",state="waiting"} 1',
      'kernelbot_submissions_accepted_total{mode="test"} 1',
      'kernelbot_attempts_total{target="cpu"} 1',
      'kernelbot_runs_ended_total{target="cpu",mode="test",verdict="passed",failure_class="none"} 1',
      'kernelbot_claim_duration_seconds_count{found="true"} 1',
      'kernelbot_object_store_duration_seconds_count{operation="check",outcome="ok"} 1',
      "kernelbot_event_stream_readers 0",
    ]),
  );
  for (const name of ["queue_oldest_wait_seconds", "database_connections", "database_waiting"]) {
    expect(lines.some((line) => line.startsWith(`kernelbot_${name}{`))).toBe(true);
  }
  expect(lines.some((line) => line.startsWith("process_cpu_user_seconds_total "))).toBe(true);
});

test("the age of the newest backup is a metric, absent without a backup", async () => {
  const ages = async () => (await metrics()).filter((line) => line.startsWith("kernelbot_backup_age_seconds "));
  expect(await ages()).toEqual([]);
  await testServer.database
    .sql`insert into backup (taken_at) values (now() - interval '1 hour'), (now() - interval '2 hours')`;
  const [age = ""] = await ages();
  expect(Math.floor(Number(age.split(" ")[1]) / 60)).toBe(60);
});

test("the age of the newest restore test, and whether the newest backup or test failed, are metrics", async () => {
  const { database } = testServer;
  await database.sql`insert into backup (kind, taken_at, ended_at, error) values
    ('restore_test', now(), now() - interval '1 hour', null), ('backup', null, now(), 'the bucket is full')`;
  const lines = await metrics();
  expect(lines.find((line) => line.startsWith("kernelbot_restore_test_age_seconds "))).toMatch(/ 36\d\d(\.|$)/);
  expect(lines).toContain('kernelbot_backup_failed{kind="backup"} 1');
  expect(lines).toContain('kernelbot_backup_failed{kind="restore_test"} 0');
});

test("counts requests by route pattern, never by user-provided paths", async () => {
  const counts = (await metrics()).filter((line) => line.startsWith("kernelbot_http_request_duration_seconds_count"));
  const label = (route: string, status: string) => `method="POST",route="/api/v1${route}",status="${status}"`;
  expect(counts).toContain(`kernelbot_http_request_duration_seconds_count{${label("/submissions", "2xx")}} 2`);
  expect(counts).toContain(
    `kernelbot_http_request_duration_seconds_count{${label("/runner/runs/:id/report", "2xx")}} 1`,
  );
  expect(counts.join()).toContain('route="none",status="4xx"');
  expect(counts.join()).not.toContain("4711");
});

test("metrics are available only at the operators' address", async () => {
  expect((await testServer.ask("/metrics")).status).toBe(404);
});

test("the log contains the ids of request, submission and run", () => {
  expect(logged).toMatchObject([
    { msg: "accepted", submissionId, runIds: [run.runId], board: "double", requestId: expect.any(String) as string },
    { msg: "accepted" },
    { msg: "claimed", submissionId, runId: run.runId, attempt: 1, target: "cpu" },
    { msg: "ended", submissionId, runId: run.runId, verdict: "passed", failureClass: null },
  ]);
  const requests = testServer.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(requests).toContainEqual(
    expect.objectContaining({ msg: "request", requestId: logged[0]?.["requestId"], route: "/api/v1/submissions" }),
  );
});

test("the log redacts secrets at any depth", () => {
  const lines: string[] = [];
  const log = openLog("info", { write: (line) => void lines.push(line) });
  log.info(
    { token: "kb_1", headers: { authorization: "Bearer kb_2", cookie: "kb_3" }, a: { b: { secret: "kb_4" } } },
    "x",
  );
  expect(lines.join()).not.toContain("kb_");
});

/** Returns the test database with its connections for queries replaced by this client. */
function answering(client: () => Client): Database {
  const pool = openPool(1, client);
  const noSessions = openSessions(0, client);
  return { ...testServer.database, db: new Kysely<Tables>({ dialect: postgresDialect(pool, noSessions) }) };
}
const refusing = (error: Error): Database =>
  answering(() => ({ query: () => Promise.reject(error), end: () => Promise.resolve() }) as unknown as Client);
const faults = () => logged.filter(({ msg }) => msg === "metrics could not be read");

test.each([
  ["is closed", () => refusing(databaseClosed())],
  ["refuses connections", () => refusing(Object.assign(new Error("no"), { code: "CONNECT_TIMEOUT" }))],
  ["shuts down", () => refusing(Object.assign(new postgres.PostgresError("bye"), { code: "57P01" }))],
])("reports a database that %s as down, with the process's own metrics", async (_, database) => {
  const lines = await metrics(database());
  expect(lines).toContain("kernelbot_database_up 0");
  expect(lines).toContain('kernelbot_attempts_total{target="cpu"} 1');
  expect(faults()).toEqual([]);
});

test("reports a database that answers slower than the scrape timeout as down", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const dumb = answering(() => ({ query: () => new Promise(() => undefined) }) as unknown as Client);
  const reading = readMetrics(dumb, log, testServer.storeFolder);
  await vi.advanceTimersByTimeAsync(3000);
  vi.useRealTimers();
  expect(await reading).toContain("kernelbot_database_up 0\n");
  expect(faults()).toEqual([]);
});

test("logs a failing metrics query as an error, and still reports the database as up", async () => {
  const { database } = testServer;
  const client = openClient(database.connection);
  const query: Client["query"] = (text, parameters) =>
    client.query(text.replace("from runner", "from runer"), parameters);
  const lines = await metrics(answering(() => ({ ...client, query })));
  await client.end(1);
  expect(lines).toContain("kernelbot_database_up 1");
  expect(lines).toContain('kernelbot_runs_open{target="cpu",state="queued"} 1');
  expect(lines.some((line) => line.startsWith("kernelbot_runners{"))).toBe(false);
  const message = 'relation "runer" does not exist';
  expect(faults()).toMatchObject([{ level: 50, err: { message } }]);
});

test("the alerts of deploy/monitoring use existing metrics and labels", async () => {
  recordMilestone({
    type: "retried",
    runId: 1,
    submissionId: 1,
    attempt: 1,
    target: "cpu",
    mode: "test",
    reason: "judge failed",
  });
  recordMilestone({ type: "job_failed", job: "sweep", message: "it fell over" });
  clientsRefused.inc({ limit: "streams" });
  databaseErrors.inc({ kind: "other" });
  computationSeconds.observe({ task: "compare", outcome: "refused" }, 0);
  const served = new Map<string, Set<string>>();
  for (const line of await metrics()) {
    const [, name = "", labels = ""] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
    served.set(name, new Set([...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label)));
  }
  const page = await readFile(join(import.meta.dirname, "../../../../../deploy/monitoring/alerts.yml"), "utf8");
  const alerts = [...page.matchAll(/expr: '?(.*kernelbot_.*)/g)].map(([, promql = ""]) => promql);
  expect(alerts.length).toBeGreaterThan(9);
  for (const promql of alerts) {
    const grouped = [...promql.matchAll(/\b(?:by|on) \(([^)]*)\)/g)]
      .flatMap(([, labels = ""]) => labels.split(/, */))
      // Prometheus adds it to every metric.
      .filter((label) => label !== "instance");
    for (const [, name = "", chosen = ""] of promql.matchAll(/(kernelbot_\w+)(?:\{([^}]*)\})?/g)) {
      const labelNames = [...grouped, ...[...chosen.matchAll(/(\w+)=/g)].map(([, label = ""]) => label)];
      expect([name, ...(served.get(name) ?? ["which is not served"])]).toEqual(
        expect.arrayContaining([name, ...labelNames]),
      );
    }
  }
});
