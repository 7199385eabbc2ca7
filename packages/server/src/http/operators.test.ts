/** What operators and their programs see: metrics at an address of their own, and a log that leads to submissions and runs. */
import { Kysely } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Claimed } from "@kernelbot/core";
import { openClient } from "../db/client.ts";
import { postgresDialect } from "../db/dialect.ts";
import { openPool } from "../db/pool.ts";
import { openSessions } from "../db/sessions.ts";
import type { Tables } from "../db/tables.ts";
import { logMilestones, openLog } from "../observe/log.ts";
import { countMilestones } from "../observe/metrics.ts";
import { openHealth } from "../operations/health.ts";
import { measured } from "../operations/measured-store.ts";
import { MACHINE, passing, request } from "../testing/fixtures.ts";
import { openHouse, type House } from "./harness.ts";
import { createOperatorsApp } from "./operators.ts";

let house: House;
const logged: Record<string, unknown>[] = [];
let ends: (() => void)[];
let submissionId: number;
let run: Claimed;

const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

beforeAll(async () => {
  house = await openHouse();
  const log = openLog("info", { write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>) });
  ends = [logMilestones(log), countMilestones()];
  const [ann, box] = await Promise.all([house.token("ann"), house.token("box", ["runner"], ["cpu"])]);
  const accepted = await house.ask("/api/v1/submissions", ann, json(request({ mode: "test" })));
  submissionId = ((await accepted.json()) as { id: number }).id;
  await house.ask("/api/v1/submissions", ann, json(request({ mode: "benchmark" })));
  const claim = { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 };
  run = Claimed.parse(await (await house.ask("/api/v1/runner/claim", box, json(claim))).json());
  const events = passing("test");
  await house.ask(`/api/v1/runner/runs/${run.runId}/report`, box, json({ attempt: 1, from: 0, events }));
  await house.ask("/no/such/page-4711", ann);
});
afterAll(async () => {
  ends.forEach((end) => end());
  await house[Symbol.asyncDispose]();
});

async function metrics(database = house.database): Promise<string[]> {
  const app = createOperatorsApp(database, await openHealth(database, house.store, new AbortController().signal));
  const response = await app.request("/metrics");
  expect(response.headers.get("content-type")).toContain("version=0.0.4");
  return (await response.text()).split("\n");
}

test("metrics tell the queue, the runners, claims, verdicts and the server's own state", async () => {
  await measured(house.store).check();
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

test("requests are counted by the pattern of their route, and none by what a stranger wrote", async () => {
  const counts = (await metrics()).filter((line) => line.startsWith("kernelbot_http_request_duration_seconds_count"));
  const label = (route: string, status: string) => `method="POST",route="/api/v1${route}",status="${status}"`;
  expect(counts).toContain(`kernelbot_http_request_duration_seconds_count{${label("/submissions", "2xx")}} 2`);
  expect(counts).toContain(
    `kernelbot_http_request_duration_seconds_count{${label("/runner/runs/:id/report", "2xx")}} 1`,
  );
  expect(counts.join()).toContain('route="none",status="4xx"');
  expect(counts.join()).not.toContain("4711");
});

test("the site has no metrics: they are at the operators' address alone", async () => {
  expect((await house.ask("/metrics")).status).toBe(404);
});

test("the log has the numbers of the submission and its run, with the request that brought each about", () => {
  expect(logged).toMatchObject([
    { msg: "accepted", submissionId, runIds: [run.runId], board: "double", requestId: expect.any(String) as string },
    { msg: "accepted" },
    { msg: "claimed", submissionId, runId: run.runId, attempt: 1, target: "cpu" },
    { msg: "ended", submissionId, runId: run.runId, verdict: "passed", failureClass: null },
  ]);
  const requests = house.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(requests).toContainEqual(
    expect.objectContaining({ msg: "request", requestId: logged[0]?.["requestId"], route: "/api/v1/submissions" }),
  );
});

test("secrets are hidden in the log, wherever they stand", () => {
  const lines: string[] = [];
  const log = openLog("info", { write: (line) => void lines.push(line) });
  log.info(
    { token: "kb_1", headers: { authorization: "Bearer kb_2", cookie: "kb_3" }, a: { b: { secret: "kb_4" } } },
    "x",
  );
  expect(lines.join()).not.toContain("kb_");
});

test("a database that is away is told as such, with all that the process knows itself", async () => {
  const pool = openPool(1, () => openClient(house.database.connection));
  await pool.end();
  const db = new Kysely<Tables>({
    dialect: postgresDialect(
      pool,
      openSessions(0, () => openClient({ url: "" })),
    ),
  });
  const lines = await metrics({ ...house.database, db });
  expect(lines).toContain("kernelbot_database_up 0");
  expect(lines).toContain('kernelbot_attempts_total{target="cpu"} 1');
});
