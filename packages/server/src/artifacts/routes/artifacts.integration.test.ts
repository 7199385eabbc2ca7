/** Artifacts over the API: who may upload and download them, and how they are served. */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ArtifactLink, Claimed, MAX_ARTIFACT_BYTES, MAX_ARTIFACTS, RunDetail, type JudgeEvent } from "@kernelbot/core";
import { listArtifacts } from "../artifacts.ts";
import { deleteOldArtifacts } from "../retention.ts";
import { syncProblems } from "../../problems/sync.ts";
import { readEvents } from "../../submissions/views.ts";
import {
  JUDGE_FAILED,
  legacyProblemFiles,
  MACHINE,
  passing,
  problemTree,
  request,
} from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

const CLAIM = { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 };
const NAME = "profile.0.txt";
const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

let testServer: TestServer;
let ann: string;
let box: string;

beforeEach(async () => {
  testServer = await openTestServer();
  ann = await testServer.token("ann");
  box = await testServer.token("box", ["runner"], ["cpu"]);
});
afterEach(() => testServer[Symbol.asyncDispose]());

async function claimedProfile(): Promise<Claimed> {
  expect((await testServer.ask("/api/v1/submissions", ann, json(request({ mode: "profile" })))).status).toBe(202);
  return claimAgain();
}

async function claimAgain(): Promise<Claimed> {
  return Claimed.parse(await (await testServer.ask("/api/v1/runner/claim", box, json(CLAIM))).json());
}

interface Put {
  name?: string;
  type?: string;
  body?: BodyInit;
  token?: string;
}

function put(
  run: Pick<Claimed, "runId" | "attempt">,
  { name = NAME, type = "text/plain", body = "abc", token = box }: Put = {},
) {
  const path = `/api/v1/runner/runs/${run.runId}/artifacts/${name}?attempt=${run.attempt}`;
  return testServer.ask(path, token, { method: "PUT", headers: { "content-type": type }, body });
}

function artifactEvent(text = "abc"): JudgeEvent {
  const sha256 = createHash("sha256").update(text).digest("hex");
  return { type: "artifact", stage: "profile", name: NAME, mediaType: "text/plain", sizeBytes: text.length, sha256 };
}

/** Returns the judge's events of a profile run with this artifact. */
function profiled(artifact: JudgeEvent): JudgeEvent[] {
  const events = passing("profile");
  return [...events.slice(0, 3), artifact, ...events.slice(3)];
}

function report(run: Claimed, events: JudgeEvent[]) {
  return testServer.ask(
    `/api/v1/runner/runs/${run.runId}/report`,
    box,
    json({ attempt: run.attempt, from: 0, events }),
  );
}

const fetched = (run: Pick<Claimed, "runId">, token?: string, name = NAME, init?: RequestInit) =>
  testServer.ask(`/api/v1/runs/${run.runId}/artifacts/${name}`, token, init);

test("a profile passes without a score, and its owner reads its artifact, which the log lists", async () => {
  const run = await claimedProfile();
  const answer = await put(run);
  expect([answer.status, await answer.json()]).toMatchObject([200, { name: NAME, sizeBytes: 3 }]);
  expect((await report(run, profiled(artifactEvent()))).status).toBe(200);
  const shown = RunDetail.parse(await (await testServer.ask(`/api/v1/runs/${run.runId}`, ann)).json());
  expect(shown).toMatchObject({ verdict: "passed", score: null, artifacts: [{ name: NAME, mediaType: "text/plain" }] });
  expect(shown.stages.map(({ stage }) => stage)).toEqual(["prepare", "profile"]);
  expect(await (await fetched(run, ann)).text()).toBe("abc");
  const events = await readEvents(testServer.database, shown.submissionId, 0, 100);
  expect(events.map(({ event }) => event)).toContainEqual(artifactEvent());
});

test("serves artifacts as downloads that browsers do not render or sniff", async () => {
  const run = await claimedProfile();
  await put(run, { body: "<script>alert(1)</script>" });
  const { headers } = await fetched(run, ann);
  expect(headers.get("content-disposition")).toBe(`attachment; filename="${NAME}"`);
  expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
  expect(headers.get("cache-control")).toBe("private, no-store");
  expect(headers.get("content-length")).toBe("25");
  const head = await fetched(run, ann, NAME, { method: "HEAD" });
  expect([head.headers.get("content-length"), await head.text()]).toEqual(["25", ""]);
});

test("a file deleted after its retention period is 410 for callers who could have seen it", async () => {
  const run = await claimedProfile();
  await put(run);
  await testServer.database.sql`update artifact set created_at = now() - interval '31 days'`;
  await deleteOldArtifacts(testServer.database, testServer.store, 30 * 24 * 60 * 60 * 1000);
  const answer = await fetched(run, ann);
  const { detail } = (await answer.json()) as { detail: string };
  expect(answer.status).toBe(410);
  expect(detail).toMatch(
    /^"profile\.0\.txt" of run \d+ was deleted on \d{4}-\d\d-\d\d, when its retention period ended; submit/,
  );
  expect((await fetched(run, await testServer.token("bob"))).status).toBe(404);
  const shown = RunDetail.parse(await (await testServer.ask(`/api/v1/runs/${run.runId}`, ann)).json());
  expect(shown.artifacts).toMatchObject([{ name: NAME, deletedAt: expect.any(String) as string }]);
});

test("only callers who may see the run see its artifacts", async () => {
  const run = await claimedProfile();
  await put(run);
  expect((await fetched(run)).status).toBe(401);
  expect((await fetched(run, await testServer.token("bob"))).status).toBe(404);
  expect((await fetched(run, await testServer.token("root", ["read", "admin"]))).status).toBe(200);
  expect((await fetched(run, ann, "profile.1.txt")).status).toBe(404);
  expect((await fetched(run, ann, "..%2F..%2Fetc")).status).toBe(422);
});

test("a repeated upload replaces the artifact, so retries are safe", async () => {
  const run = await claimedProfile();
  await put(run);
  expect((await put(run, { body: "abcd" })).status).toBe(200);
  expect(await (await fetched(run, ann)).text()).toBe("abcd");
});

test("only the runner that leases the attempt can upload artifacts", async () => {
  const run = await claimedProfile();
  const other = await testServer.token("other", ["runner"], ["cpu"]);
  const elsewhere = await testServer.token("elsewhere", ["runner"], ["H100"]);
  expect((await put(run, { token: other })).status).toBe(409);
  expect((await put(run, { token: elsewhere })).status).toBe(404);
  expect((await put(run, { token: ann })).status).toBe(403);
  expect((await put({ ...run, attempt: 2 })).status).toBe(409);
  await report(run, passing("profile"));
  expect((await put(run)).status).toBe(409);
});

test("rejects an upload whose attempt ended in the meantime", async () => {
  const run = await claimedProfile();
  let send: (bytes: Uint8Array | null) => void = () => undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => (send = (bytes) => (bytes === null ? controller.close() : controller.enqueue(bytes))),
  });
  const init = { method: "PUT", headers: { "content-type": "text/plain" }, body, duplex: "half" };
  const answer = testServer.ask(`/api/v1/runner/runs/${run.runId}/artifacts/${NAME}?attempt=1`, box, init);
  send(Buffer.from("a"));
  await report(run, JUDGE_FAILED);
  const again = await claimAgain();
  send(null);
  expect((await answer).status).toBe(409);
  expect(again).toMatchObject({ runId: run.runId, attempt: 2 });
  expect((await fetched(run, ann)).status).toBe(404);
});

test("an interrupted upload leaves nothing behind", async () => {
  await using own = await openTestServer({ listening: true });
  const runner = await own.token("box", ["runner"], ["cpu"]);
  await own.ask("/api/v1/submissions", await own.token("ann"), json(request({ mode: "profile" })));
  const { runId } = Claimed.parse(await (await own.ask("/api/v1/runner/claim", runner, json(CLAIM))).json());
  const unfinished = () => readdirSync(join(own.storeFolder, "unfinished")).length;
  const socket = connect(Number(new URL(own.url).port), "127.0.0.1");
  const head = [
    `PUT /api/v1/runner/runs/${runId}/artifacts/${NAME}?attempt=1 HTTP/1.1`,
    "host: here",
    `authorization: Bearer ${runner}`,
    "content-type: text/plain",
    "content-length: 6",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\nabc`);
  await expect.poll(unfinished, { interval: 10 }).toBe(1);
  socket.destroy();
  await expect.poll(unfinished, { interval: 10 }).toBe(0);
  expect(await listArtifacts(own.database, runId, 1)).toEqual([]);
});

test("a new attempt starts without the previous one's artifacts", async () => {
  const run = await claimedProfile();
  await put(run);
  await report(run, JUDGE_FAILED);
  await claimAgain();
  expect((await fetched(run, ann)).status).toBe(404);
});

test("rejects artifacts with an unknown name or media type, or an excessive size", async () => {
  const run = await claimedProfile();
  for (const name of ["Profile.txt", ".txt", "a..b", "a%22b", "a".repeat(101), "a."]) {
    expect((await put(run, { name })).status, name).toBe(422);
  }
  for (const type of ["text/html", "image/svg+xml", ""]) expect((await put(run, { type })).status, type).toBe(415);
  const path = `/api/v1/runner/runs/${run.runId}/artifacts/${NAME}?attempt=1`;
  const headers = { "content-type": "text/plain", "content-length": String(MAX_ARTIFACT_BYTES + 1) };
  expect((await testServer.ask(path, box, { method: "PUT", headers, body: "" })).status).toBe(413);
  expect((await put(run, { body: "" })).status).toBe(200);
});

test("limits the number of artifacts per attempt", async () => {
  const run = await claimedProfile();
  for (let index = 0; index < MAX_ARTIFACTS; index += 1) await put(run, { name: `profile.${index}.txt` });
  expect((await put(run, { name: "one-more.txt" })).status).toBe(422);
  expect((await put(run, { name: "profile.0.txt" })).status).toBe(200);
});

test("rejects an event for an artifact that was not uploaded or has other bytes", async () => {
  const run = await claimedProfile();
  expect((await report(run, profiled(artifactEvent()))).status).toBe(422);
  await put(run);
  expect((await report(run, profiled(artifactEvent("xyz")))).status).toBe(422);
  expect((await report(run, profiled(artifactEvent()))).status).toBe(200);
});

test("a problem with its own harness cannot be profiled, which intake rejects", async () => {
  await syncProblems(testServer.database, problemTree({ "set/old": legacyProblemFiles() }));
  const answer = await testServer.ask("/api/v1/submissions", ann, json(request({ board: "old", mode: "profile" })));
  expect([answer.status, await answer.json()]).toMatchObject([
    422,
    {
      detail:
        "old brings its own harness, which does not support mode profile; its modes are test, benchmark and ranked",
    },
  ]);
});

test("a profile enters no board", async () => {
  const run = await claimedProfile();
  await report(run, passing("profile"));
  expect(await (await testServer.ask("/api/v1/boards/double/cpu")).json()).toMatchObject({ rows: [] });
});

test("a caller who may see a file creates a link for browsers, which cannot be forged or modified and expires", async () => {
  const run = await claimedProfile();
  await put(run);
  await report(run, profiled(artifactEvent()));
  const path = `/api/v1/runs/${run.runId}/artifacts/${NAME}/links`;
  const made = await testServer.ask(path, ann, json({ seconds: 60 }));
  expect(made.status).toBe(201);
  const { url, expiresAt } = ArtifactLink.parse(await made.json());
  expect(Math.abs(Date.parse(expiresAt) - Date.now() - 60_000)).toBeLessThan(30_000);
  const { pathname } = new URL(url);
  const got = await testServer.ask(pathname);
  expect([got.status, await got.text()]).toEqual([200, "abc"]);
  expect(got.headers.get("content-disposition")).toBe(`attachment; filename="${NAME}"`);
  expect((await testServer.ask(`${pathname.slice(0, -3)}AAA`)).status).toBe(404);
  const stranger = await testServer.token("stranger");
  expect((await testServer.ask(path, stranger, json({}))).status).toBe(404);
  expect((await testServer.ask(path, ann, json({ seconds: 3601 }))).status).toBe(422);
  await testServer.store.delete(createHash("sha256").update("abc").digest("hex"));
  expect((await testServer.ask(pathname)).status).toBe(503);
});
