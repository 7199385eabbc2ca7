/** KernelBench over a socket with the API client. Permissions are tested in packages/server/tests/routes.integration.test.ts. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient, readEventStream, type Client } from "@kernelbot/api";
import {
  KernelBenchEntryRejection,
  MAX_ENTRY_BYTES,
  type KernelBenchEntryFile,
  type KernelBenchEntryProgress,
  type KernelBenchEntrySummary,
} from "@kernelbot/core";
import type { Identity } from "../../auth/identity.ts";
import { failing, runner } from "@kernelbot/testing/fixtures.ts";
import { entryRequest, judgeAll, kernel, kernelPassing, suiteUpload } from "@kernelbot/testing/kernelbench.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let ann: Client;
let organiser: Client;
let stranger: Client;
let box: Identity;

beforeEach(async () => {
  testServer = await openTestServer({ listening: true });
  ann = testServer.client(await testServer.token("ann"));
  organiser = testServer.client(await testServer.token("olga", ["submit", "read", "admin"], [], ["organiser"]));
  stranger = createClient({ server: testServer.url });
  box = await runner(testServer.database);
  await organiser.kernelbench.putSuite(suiteUpload());
});
afterEach(() => testServer[Symbol.asyncDispose]());

/** Sends a request directly, without the client. */
function sent(path: string, body: BodyInit, token?: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return testServer.ask(`/api/v1/kernelbench${path}`, token, { method: "POST", headers, body });
}

/** Judges the queued runs: problem 2 of level 1 is incorrect, the others are twice as fast as the reference model. */
function judge(count: number): Promise<unknown> {
  return judgeAll(testServer.database, box, count, (board) =>
    board.endsWith("l1-p2") ? failing("wrong_result") : kernelPassing(500, 1000),
  );
}

async function published(): Promise<KernelBenchEntrySummary> {
  const { id } = await ann.kernelbench.createEntry(entryRequest());
  await judge(3);
  return ann.kernelbench.publish(id);
}

test("a suite is found by name, and an identical upload keeps its version", async () => {
  const suite = await stranger.kernelbench.suite("tiny");
  expect(suite.problems.map(({ level, problem, board }) => [level, problem, board])).toEqual([
    [1, 1, "tiny-l1-p1"],
    [1, 2, "tiny-l1-p2"],
    [2, 1, "tiny-l2-p1"],
  ]);
  expect(await organiser.kernelbench.putSuite(suiteUpload())).toEqual(suite);
  const [first, ...problems] = suiteUpload().problems;
  const { version } = await organiser.kernelbench.putSuite(suiteUpload({ problems }));
  expect((await stranger.kernelbench.suites()).map((each) => [each.name, each.version])).toEqual([["tiny", version]]);
  expect(await stranger.kernelbench.suite("tiny", suite.version)).toEqual(suite);
  expect(suite.problems[0]?.fileName).toBe(first?.fileName);
});

const BAD: Record<string, unknown> = {
  metadata: { organization: "Ours" },
  kernels: {
    level_1_problem_01_sample_0: kernel(),
    level_1_problem_99_sample_0: kernel(),
    level_1_problem_1_sample_0: 7,
    level_1_problem_2_sample_0: "print()",
    level_2_problem_1_sample_0: kernel(),
  },
};
const FAULTY = ["level_1_problem_01_sample_0", "level_1_problem_1_sample_0", "metadata.display_name"];

test("an anonymous caller gets all faults of a file, by key", async () => {
  const check = await stranger.kernelbench.validate("tiny", JSON.stringify(BAD));
  const errors = check.faults.filter(({ severity }) => severity === "error");
  expect(check.ok).toBe(false);
  expect(errors.map(({ key }) => key).toSorted()).toEqual(FAULTY);
  const warned = check.faults.filter(({ severity }) => severity === "warning");
  expect(warned.map(({ key }) => key)).toContain("level_1_problem_99_sample_0");
  expect(warned.map(({ key }) => key)).toContain("level_1_problem_2_sample_0");
});

test("a valid file gets its number of kernels per level", async () => {
  const check = await stranger.kernelbench.validate("tiny", JSON.stringify(entryRequest().file));
  expect(check).toMatchObject({ ok: true, kernels: 3 });
  expect(check.levels).toEqual([
    { level: 1, submitted: 2, problems: 2 },
    { level: 2, submitted: 1, problems: 1 },
  ]);
});

test.each<[what: string, file: BodyInit, fault: RegExp]>([
  ["invalid JSON", '{"metadata": {},', /not valid JSON: line 1, column 17/],
  ["invalid UTF-8", new Uint8Array([0x22, 0xff, 0x22]), /not UTF-8/],
  ["a duplicate kernel", '{"kernels": {"a": "", "a": ""}}', /more than once/],
])("%s is reported as a fault of the file with status 200", async (_, file, fault) => {
  const response = await sent("/validate?suite=tiny", file);
  expect(response.status).toBe(200);
  const { faults } = (await response.json()) as { faults: { what: string }[] };
  expect(faults.map(({ what }) => what).join("\n")).toMatch(fault);
});

test("a file may be larger than a submission, and one above its limit is rejected before reading it", async () => {
  const size = (bytes: number) => JSON.stringify({ kernels: {}, notes: "x".repeat(bytes - 25) });
  expect((await stranger.kernelbench.validate("tiny", size(2_000_000))).ok).toBe(false);
  await expect(stranger.kernelbench.validate("tiny", size(MAX_ENTRY_BYTES + 20_000))).rejects.toMatchObject({
    code: "too_large",
    message: expect.stringContaining("32,000,000 bytes") as string,
  });
});

test("file checks are rate-limited", async () => {
  await testServer.database.sql`insert into throttle (kind, who, count) values ('entry check', '127.0.0.1', 20)`;
  const request = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  const { status } = await fetch(`${testServer.url}/api/v1/kernelbench/validate?suite=tiny`, request);
  expect(status).toBe(429);
});

test("an entry with an invalid file is rejected with all faults", async () => {
  const token = await testServer.token("ann");
  const refused = await sent("/entries", JSON.stringify({ suite: "tiny", target: "cpu", file: BAD }), token);
  expect(refused.status).toBe(422);
  const { code, detail, faults } = KernelBenchEntryRejection.parse(await refused.json());
  const errors = faults.filter(({ severity }) => severity === "error");
  expect(code).toBe("unprocessable");
  expect(errors.map(({ key }) => key).toSorted()).toEqual(FAULTY);
  for (const key of FAULTY) expect(detail).toContain(key);
  expect(await ann.kernelbench.entries()).toEqual([]);
});

test("repeated requests with one key create one entry", async () => {
  const token = await testServer.token("ann");
  const post = async () => {
    const headers = { "content-type": "application/json", "idempotency-key": "k1" };
    const body = JSON.stringify(entryRequest());
    return testServer.ask("/api/v1/kernelbench/entries", token, { method: "POST", headers, body });
  };
  const [first, again] = [await post(), await post()];
  expect([first.status, again.status]).toEqual([201, 200]);
  const { id } = (await first.json()) as { id: number };
  expect(again.headers.get("location")).toBe(`/api/v1/kernelbench/entries/${id}`);
  const other = entryRequest({ kernels: { level_1_problem_1_sample_0: kernel(9) } });
  await expect(ann.kernelbench.createEntry(other, { idempotencyKey: "k1" })).rejects.toMatchObject({
    code: "conflict",
  });
});

test("a judged entry has its scores", async () => {
  const { id, progress } = await ann.kernelbench.createEntry(entryRequest());
  expect(progress).toEqual({ waiting: 0, queued: 3, running: 0, done: 0, lost: 0 });
  await judge(3);
  const { results, score } = await ann.kernelbench.entry(id);
  expect(results.map(({ state, correct, timeNs, eagerNs }) => [state, correct, timeNs?.value, eagerNs?.value])).toEqual(
    [
      ["done", true, 500, 1000],
      ["done", false, undefined, undefined],
      ["done", true, 500, 1000],
    ],
  );
  expect(score.overall.correct).toEqual({ count: 2, of: 3 });
  expect(score.overall.geoMean).toBeCloseTo(2);
});

test("speedups can be computed over a stored baseline", async () => {
  const { id } = await published();
  const file = { level1: { "1_ReLU.py": { mean: 0.002 } }, level2: { "1_ReLU.py": { mean: 0.002 } } };
  const baseline = await organiser.kernelbench.putBaseline({
    id: "box-2026",
    hardware: "Fast CPU, 2 threads",
    kind: "eager",
    file,
  });
  expect(await stranger.kernelbench.baseline("box-2026")).toEqual(baseline);
  expect(await stranger.kernelbench.baselines()).toEqual([
    { id: "box-2026", hardware: "Fast CPU, 2 threads", kind: "eager", problemCount: 2 },
  ]);
  const choice = { kind: "stored", id: "box-2026" } as const;
  const { score } = await stranger.kernelbench.entry(id, choice);
  expect(score.baseline).toEqual(choice);
  expect(score.overall.geoMean).toBeCloseTo(4);
  const { level_results: levels } = await stranger.kernelbench.results(id, choice);
  expect(levels[0]).toMatchObject({ hardware: "box-2026", geo_mean_speedup: expect.closeTo(4) as number });
  await expect(stranger.kernelbench.entry(id, { kind: "stored", id: "none" })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("an entry's file downloads as submitted, under a safe name", async () => {
  const file: KernelBenchEntryFile = {
    metadata: { display_name: "Modèle “x”", organization: "Ours", run_name: "run.1", notes: "", backend: "triton" },
    kernels: { level_2_problem_1_sample_0: `${kernel(1)}# 漢字é😀\n\t\n` },
  };
  const { id } = await ann.kernelbench.createEntry({ ...entryRequest(), file });
  expect(await ann.kernelbench.entryFile(id)).toEqual(file);
  const { headers } = await testServer.ask(`/api/v1/kernelbench/entries/${id}/file`, await testServer.token("ann"));
  expect(headers.get("content-disposition")).toBe(`attachment; filename="kernelbench-entry-${id}.json"`);
});

test("every endpoint hides a draft from others until it is published", async () => {
  const { id } = await ann.kernelbench.createEntry(entryRequest());
  await judge(3);
  const bob = testServer.client(await testServer.token("bob"));
  const moderator = testServer.client(await testServer.token("mia", ["read", "admin"], [], ["moderator"]));
  const ways: ((client: Client) => Promise<unknown>)[] = [
    ({ kernelbench }) => kernelbench.entry(id),
    ({ kernelbench }) => kernelbench.entryFile(id),
    ({ kernelbench }) => kernelbench.results(id),
    ({ kernelbench }) => kernelbench.evalResults(id, 1),
    ({ kernelbench }) => kernelbench.progress(id).next(),
  ];
  for (const way of ways) {
    for (const client of [stranger, bob]) {
      await expect(way(client)).rejects.toMatchObject({ code: "not_found", message: `entry ${id} does not exist` });
    }
    await way(moderator);
  }
  expect(await bob.kernelbench.entries({ suite: "tiny" })).toEqual([]);
  expect((await ann.kernelbench.entries({ mine: true })).map((entry) => entry.id)).toEqual([id]);
  await ann.kernelbench.publish(id);
  for (const way of ways) await way(stranger);
  expect((await stranger.kernelbench.entries({ suite: "tiny", target: "cpu" })).map((entry) => entry.id)).toEqual([id]);
  expect(await bob.kernelbench.entries({ mine: true })).toEqual([]);
  expect(await stranger.kernelbench.entries({ target: "H100" })).toEqual([]);
});

test("a stopped entry waits until it is resumed, and can be published once finished", async () => {
  const { id } = await ann.kernelbench.createEntry(entryRequest());
  await judge(1);
  await expect(ann.kernelbench.publish(id)).rejects.toMatchObject({ code: "conflict" });
  expect((await ann.kernelbench.stop(id)).progress).toMatchObject({ waiting: 2, queued: 0, done: 1 });
  expect((await ann.kernelbench.resume(id)).progress).toMatchObject({ waiting: 0, queued: 2, done: 1 });
  await judge(2);
  expect((await ann.kernelbench.publish(id)).publishedAt).not.toBeNull();
});

test("the progress stream reports the entry's progress until it is finished", async () => {
  const { id } = await ann.kernelbench.createEntry(entryRequest());
  const updates: KernelBenchEntryProgress[] = [];
  for await (const progress of ann.kernelbench.progress(id)) {
    updates.push(progress);
    if (updates.length === 1) await judge(3);
  }
  expect(updates.at(0)).toMatchObject({ progress: { queued: 3, done: 0 }, finished: false });
  expect(updates.at(-1)).toMatchObject({ progress: { queued: 0, done: 3 }, finished: true });
});

test("a resumed progress stream sends only newer events", async () => {
  const { id } = await ann.kernelbench.createEntry(entryRequest());
  const token = await testServer.token("ann");
  const follow = async (seen: string) => {
    const headers = { authorization: `Bearer ${token}`, "last-event-id": seen };
    const hangUp = new AbortController();
    const address = `${testServer.url}/api/v1/kernelbench/entries/${id}/events`;
    const { body } = await fetch(address, { headers, signal: hangUp.signal });
    if (body === null) throw new Error("no body");
    return { messages: readEventStream(body), hangUp };
  };
  const first = await follow("0");
  const known = (await first.messages.next()).value?.id ?? "";
  first.hangUp.abort();
  await ann.kernelbench.stop(id);
  const second = await follow(known);
  const stopped = (await second.messages.next()).value;
  expect(JSON.parse(stopped?.data ?? "")).toMatchObject({ progress: { waiting: 3 }, finished: true });
  expect((await second.messages.next()).done).toBe(true);
  const third = await follow(stopped?.id ?? "");
  expect((await third.messages.next()).done).toBe(true);
});

test("a problem and the matrix show each entry's results, and drafts only to their accounts", async () => {
  const entry = await published();
  const draft = await ann.kernelbench.createEntry(entryRequest({ metadata: { display_name: "Another" } }));
  const across = await stranger.kernelbench.problem("tiny", { level: 1, problem: 2 }, { target: "cpu" });
  expect(across.problem.board).toBe("tiny-l1-p2");
  expect(across.source).toContain("class Model(");
  expect(across.rows.map((row) => [row.entry.id, row.result.failureClass, row.source])).toEqual([
    [entry.id, "wrong_result", kernel(2)],
  ]);
  const idsOf = async (client: Client) =>
    (await client.kernelbench.matrix("tiny", "cpu")).rows.map((row) => [row.entry.id, row.results.length]);
  expect(await idsOf(stranger)).toEqual([[entry.id, 3]]);
  expect((await idsOf(ann)).toSorted()).toEqual([
    [entry.id, 3],
    [draft.id, 3],
  ]);
  await expect(stranger.kernelbench.problem("tiny", { level: 3, problem: 1 })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("a published entry is exported in the formats of the existing leaderboard", async () => {
  const entry = await published();
  const [row, ...others] = await stranger.kernelbench.metadata({ suite: "tiny" });
  expect(others).toEqual([]);
  expect(row).toMatchObject({
    unique_id: `a_model_${entry.id}_cpu`,
    hardware: "cpu",
    metrics: { geo_mean: expect.closeTo(2) as number, total_correct: 2, correct_rate: 2 / 3 },
  });
  const results = await stranger.kernelbench.results(entry.id);
  expect(results.entry).toEqual(row);
  expect(results.level_results[0]).toMatchObject({ level: 1, total_count: 2, correct_count: 1 });
  const byProblem = await stranger.kernelbench.evalResults(entry.id, 1);
  expect(Object.keys(byProblem)).toEqual(["1", "2"]);
  expect(byProblem["1"]?.[0]).toMatchObject({ sample_id: 0, correctness: true, runtime: 0.0005 });
});

test("a request with the current ETag gets 304", async () => {
  const { id } = await published();
  const path = `/api/v1/kernelbench/entries/${id}`;
  const etag = (await testServer.ask(path)).headers.get("etag") ?? "";
  const ask = (address: string) => testServer.ask(address, undefined, { headers: { "if-none-match": etag } });
  expect((await ask(path)).status).toBe(304);
  expect((await ask(`${path}?baseline=compiled`)).status).toBe(200);
});
