import { cpSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { unzipSync } from "fflate";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { CompetitionSpec, type Claimed } from "@kernelbot/core";
import {
  claimWait,
  H100,
  caseFinished,
  claimed,
  failing,
  MACHINE,
  passing,
  person,
  problemFiles,
  ranked,
  reported,
  runner,
} from "@kernelbot/testing/fixtures.ts";
import { openArchiveServer } from "@kernelbot/testing/archive.ts";
import { putArtifact } from "@kernelbot/server/src/artifacts/artifacts.ts";
import { changeCompetition, createCompetition } from "@kernelbot/server/src/competitions/change.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let box: Identity;
let ann: string;
let root: string;

beforeAll(async () => {
  testServer = await openTestServer({ listening: true });
  box = await runner(testServer.database);
  ann = await testServer.token("ann");
  root = await testServer.token("root", ["submit", "read", "admin"]);
  return () => testServer[Symbol.asyncDispose]();
});

const SOURCE = "#!POPCORN leaderboard double\nprint('é')\n";

/** Returns the bytes of a request as the client encodes it: HTTP/1.1, no User-Agent, one part without a media type. */
function bytesOf(method: string, path: string, headers: Record<string, string>, body = Buffer.alloc(0)): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "accept: */*",
    `host: ${new URL(testServer.url).host}`,
    ...(body.length > 0 || method === "POST" ? [`content-length: ${body.length}`] : []),
    "connection: close",
  ];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), body]);
}

function upload(path: string, token: string, source = SOURCE, fileName = "sub.py"): Buffer {
  const boundary = "3f9e0c1d2b4a5968-7a6b5c4d3e2f1a0b-1122334455667788-99aabbccddeeff00";
  const body = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n\r\n${source}\r\n--${boundary}--\r\n`,
  );
  return bytesOf(
    "POST",
    path,
    { "x-popcorn-cli-id": token, "content-type": `multipart/form-data; boundary=${boundary}` },
    body,
  );
}

const get = (path: string, token = ann) => bytesOf("GET", path, { "x-popcorn-cli-id": token });
const byAdmin = (method: string, path: string, body?: unknown) =>
  bytesOf(
    method,
    path,
    { authorization: `Bearer ${root}`, ...(body !== undefined && { "content-type": "application/json" }) },
    body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  );

/** Sends the bytes and returns the status, headers and complete body of the response. */
async function sent(bytes: Buffer): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(testServer.url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks);
  const end = text.indexOf("\r\n\r\n");
  const head = text.subarray(0, end).toString();
  const rest = text.subarray(end + 4);
  const body = /transfer-encoding: chunked/i.test(head) ? dechunked(rest) : rest;
  return { status: Number(head.split(" ")[1]), head, body: body.toString() };
}

function dechunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString(), 16);
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

async function answered(bytes: Buffer): Promise<unknown> {
  const { status, body } = await sent(bytes);
  expect({ status, body }).toMatchObject({ status: expect.toSatisfy((it: number) => it < 300) as number });
  return JSON.parse(body);
}

/** The fields of an accepted submission that the client requires, as it parses them. */
const Accepted = z.object({ details: z.object({ id: z.int() }), runner_queue: z.object({ queued_jobs: z.int() }) });
/** The fields of a poll that the client requires. */
const Polled = z.object({
  id: z.int(),
  leaderboard_id: z.int(),
  leaderboard_name: z.string(),
  file_name: z.string(),
  user_id: z.string(),
  submission_time: z.iso.datetime(),
  done: z.boolean(),
  code: z.string(),
  runs: z.array(
    z.object({
      start_time: z.string(),
      end_time: z.string(),
      mode: z.string(),
      secret: z.boolean(),
      runner: z.string(),
      score: z.number().nullable(),
      passed: z.boolean(),
      result: z.record(z.string(), z.string()).nullable(),
    }),
  ),
  job: z.object({ status: z.string(), error: z.string().nullable(), last_heartbeat: z.string().nullable() }),
  runner_queue: z.null(),
});

async function submitted(mode: string, source = SOURCE): Promise<number> {
  const accepted = await sent(upload(`/submission/double/cpu/${mode}`, ann, source));
  expect(accepted.status).toBe(202);
  return Accepted.parse(JSON.parse(accepted.body)).details.id;
}

const polled = async (id: number, token = ann) => Polled.parse(await answered(get(`/user/submissions/${id}`, token)));

test("a poll shows the queue position of a queued submission and the stage of a running one", async () => {
  const id = await submitted("test");
  expect(await polled(id)).toMatchObject({
    done: false,
    runs: [],
    job: {
      status: "queued, position 1 in the queue; no runner for cpu is connected; 1 submission queued; last seen never",
      error: null,
    },
    code: SOURCE,
    leaderboard_name: "double",
    file_name: "sub.py",
  });
  const run = await claimed(testServer.database, box);
  expect((await polled(id)).job.status).toBe("starting");
  await reported(testServer.database, box, run, [{ type: "stage_started", stage: "test", cases: 1 }]);
  expect((await polled(id)).job.status).toBe("running stage test");
});

test("a passed test ends as succeeded, with its cases as strings", async () => {
  const id = await submitted("test");
  await reported(testServer.database, box, await claimed(testServer.database, box), passing("test"));
  const { done, job, runs } = await polled(id);
  expect({ done, status: job.status, error: job.error }).toEqual({ done: true, status: "succeeded", error: null });
  expect(runs).toMatchObject([{ mode: "test", secret: false, runner: "cpu", score: null, passed: true }]);
  expect(runs[0]?.result).toEqual({
    "test-count": "2",
    "test.0.spec": "size: 8; seed: 2",
    "test.0.status": "pass",
    "test.1.spec": "size: 16; seed: 3",
    "test.1.status": "pass",
    check: "pass",
  });
});

test("a benchmark has the timings of its cases in nanoseconds", async () => {
  const id = await submitted("benchmark");
  await reported(testServer.database, box, await claimed(testServer.database, box), passing("benchmark", [1500, 3000]));
  const { runs } = await polled(id);
  expect(runs[0]?.result).toMatchObject({
    "benchmark-count": "2",
    "benchmark.1.mean": "3000",
    "benchmark.1.best": "3000",
    "benchmark.1.runs": "8",
    check: "pass",
  });
});

test("a ranked submission has a public and a secret row with the score in seconds", async () => {
  const id = await submitted("leaderboard");
  await reported(testServer.database, box, await claimed(testServer.database, box), passing("ranked", [1000, 3000]));
  const { runs, job } = await polled(id);
  expect(job.status).toBe("succeeded");
  expect(runs.map(({ mode, secret, score, passed }) => [mode, secret, score, passed])).toEqual([
    ["test", false, null, true],
    ["leaderboard", false, 2e-6, true],
    ["leaderboard", true, 2e-6, true],
  ]);
  expect(runs.slice(1).map(({ result }) => result)).toEqual([null, null]);
  const board = await answered(get("/submissions/double/cpu?limit=1"));
  expect(board).toMatchObject([
    { submission_id: id, rank: 1, submission_score: 2e-6, user_name: "ann", gpu_type: "cpu" },
  ]);
  expect(await answered(get("/submission_count/double/cpu"))).toEqual({ count: 1 });
});

test("the job's error contains the whole report without terminal control sequences", async () => {
  const id = await submitted("test");
  const wrong = {
    ...caseFinished("test", 1),
    status: "failed" as const,
    mismatch: {
      differing: 3,
      total: 8,
      largestAbsolute: 0.5,
      largestRelative: null,
      first: [{ index: [4], got: "1.5", expected: "2.0" }],
    },
  };
  await reported(testServer.database, box, await claimed(testServer.database, box), [
    { type: "stage_started", stage: "test", cases: 2 },
    caseFinished("test", 0),
    wrong,
    { type: "stage_finished", stage: "test", passed: false, durationNs: 1 },
    { type: "output", stage: "test", head: "hello \x1b[2J\n", tail: "", droppedBytes: 0 },
    {
      type: "verdict",
      verdict: "failed",
      failureClass: "wrong_result",
      message: "case 2 is wrong",
      detail: "Traceback\n  here",
    },
  ]);
  const { done, job } = await polled(id);
  expect({ done, status: job.status }).toEqual({ done: true, status: "failed" });
  for (const part of [
    "cpu: failed: wrong result",
    "case 2 is wrong",
    "✗ test: 1 of 2 cases passed",
    "✗ 2  size: 16; seed: 3",
    "3 of 8 elements differ; largest error 0.5",
    "at [4]: got 1.5, expected 2.0",
    "Traceback:\n  | Traceback\n  |   here",
    "Output of stage test:\n  | hello ",
  ]) {
    expect(job.error).toContain(part);
  }
  expect(job.error).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});

test("lists the caller's submissions, newest first, by leaderboard and in pages", async () => {
  const List = z.array(
    z.object({
      id: z.int(),
      leaderboard_name: z.string(),
      runs: z.array(z.object({ gpu_type: z.string(), score: z.number().nullable() })),
    }),
  );
  const ids = async (query: string) =>
    List.parse(await answered(get(`/user/submissions?${query}`))).map(({ id }) => id);
  const all = await ids("leaderboard=double&limit=50");
  expect(all).toEqual(all.toSorted((a, b) => b - a));
  expect(await ids("leaderboard=double&limit=2&offset=1")).toEqual(all.slice(1, 3));
  expect(await ids("leaderboard=triple&limit=50")).toEqual([]);
  const wrong = await sent(get("/user/submissions?limit=101"));
  expect([wrong.status, JSON.parse(wrong.body)]).toMatchObject([
    400,
    { detail: 'limit must be between 1 and 100, not "101"' },
  ]);
});

test("boards are listed without seeds, references and files", async () => {
  const { body } = await sent(bytesOf("GET", "/leaderboards", {}));
  const boards = z
    .array(
      z.looseObject({
        name: z.string(),
        description: z.string(),
        task: z.record(z.string(), z.unknown()),
        id: z.int(),
      }),
    )
    .parse(JSON.parse(body));
  expect(boards.map(({ name }) => name)).toEqual(["double", "triple"]);
  expect(body).not.toMatch(/seed|ref_kernel/);
  expect(await answered(bytesOf("GET", "/gpus/Double", {}))).toEqual(["cpu", "H100"]);
  await claimWait(testServer.database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 });
  expect(await answered(bytesOf("GET", "/runner_queue/cpu", {}))).toMatchObject({ gpu: "cpu", status: "available" });
  // No runner for this target has connected yet.
  expect(await answered(bytesOf("GET", "/runner_queue/H100", {}))).toMatchObject({
    ...{ runner: "KernelBot (no runner is connected)", gpu: "H100", status: "unavailable", available_runners: 0 },
    error: "no runner for H100 is connected; no submissions queued; last seen never",
  });
  expect(await answered(bytesOf("GET", "/runner_queue/T4", {}))).toMatchObject({ status: "unavailable" });
});

test.each([
  ["an unknown leaderboard", "/submission/quadruple/cpu/test", SOURCE, 404, 'Leaderboard "quadruple" does not exist.'],
  [
    "an unknown GPU",
    "/submission/double/T4/test",
    SOURCE,
    400,
    'GPU type "T4" is not supported for leaderboard double. Supported GPUs: cpu, H100',
  ],
  ["an unknown mode", "/submission/double/cpu/fast", SOURCE, 400, 'Invalid submission mode value: "fast"'],
  ["an empty file", "/submission/double/cpu/test", "", 422, "the file is empty"],
  ["a directive that names another leaderboard", "/submission/triple/cpu/test", SOURCE, 400, 'the file names "double"'],
])("%s is rejected with an explanation", async (_, path, source, status, detail) => {
  const answer = await sent(upload(path, ann, source));
  expect(answer.status).toBe(status);
  expect(z.object({ detail: z.string() }).parse(JSON.parse(answer.body)).detail).toContain(detail);
});

test("a missing or invalid cli_id gets instructions for linking", async () => {
  for (const bytes of [bytesOf("GET", "/user/submissions?limit=1", {}), get("/user/submissions?limit=1", "4711")]) {
    const { status, body } = await sent(bytes);
    expect([status, JSON.parse(body)]).toMatchObject([
      401,
      { detail: expect.stringContaining("/link-popcorn") as string },
    ]);
  }
  const init = await sent(bytesOf("GET", "/auth/init?provider=discord", {}));
  expect([init.status, init.body]).toEqual([400, expect.stringContaining("~/.popcorn.yaml")]);
});

test("another user's submission is not found", async () => {
  const id = await submitted("test");
  const { status } = await sent(get(`/user/submissions/${id}`, await testServer.token("bob")));
  expect(status).toBe(404);
});

/** Claims the next run of a target, waiting for the submission that is being sent. */
async function claimedSoon(target: string): Promise<Claimed> {
  const run = await claimWait(testServer.database, box, {
    target,
    runner: "box",
    machine: target === "H100" ? H100 : MACHINE,
    waitMs: 20_000,
  });
  if (run === null) throw new Error(`no run was queued for ${target}`);
  return run;
}

/** Splits a body into frames as the client does. */
function framesOf(body: string): { event: string; data: unknown }[] {
  expect(body).not.toContain("\r");
  return body
    .split("\n\n")
    .filter((text) => text !== "")
    .map((text) => {
      const lines = text.split("\n");
      const field = (name: string) =>
        lines
          .findLast((line) => line.startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trim();
      return { event: field("event") ?? "", data: JSON.parse(field("data") ?? "null") as unknown };
    });
}

test("a profile is streamed in ASCII frames, with its files as a zip and its tables as reports", async () => {
  const streaming = sent(upload("/double/H100/profile", ann));
  const run = await claimedSoon("H100");
  const bytes = async function* () {
    yield Buffer.from("operator µs\n");
  };
  const upload0 = {
    runId: run.runId,
    attempt: run.attempt,
    name: "profile.0.txt",
    mediaType: "text/plain" as const,
    bytes: bytes(),
  };
  await putArtifact(testServer.database, testServer.store, box, upload0);
  await reported(testServer.database, box, run, passing("profile"));
  const { head, body } = await streaming;
  expect(head).toMatch(/content-type: text\/event-stream/i);
  expect(body).toMatch(/^[\x20-\x7e\n]*$/);
  const frames = framesOf(body);
  expect(frames.slice(0, -1).every(({ event }) => event === "status")).toBe(true);
  expect(frames[0]?.data).toMatchObject({ status: "processing", message: expect.any(String) as string });
  const Result = z.object({
    status: z.literal("success"),
    reports: z.array(z.string()),
    results: z.array(
      z.object({
        success: z.boolean(),
        runs: z.record(
          z.string(),
          z.object({
            run: z.object({
              stdout: z.string(),
              stderr: z.string(),
              result: z.looseObject({ "benchmark-count": z.int() }),
            }),
            profile: z.object({ profiler: z.string(), trace: z.base64(), download_url: z.url() }),
          }),
        ),
      }),
    ),
  });
  const { results, reports } = Result.parse(frames.at(-1)?.data);
  const profile = results[0]?.runs["profile.0"];
  expect(profile?.run.result["benchmark-count"]).toBe(1);
  expect(Buffer.from(profile?.run.result["benchmark.0.report"] as string, "base64").toString()).toBe("operator µs\n");
  const files = unzipSync(Buffer.from(profile?.profile.trace ?? "", "base64"));
  expect(Object.keys(files)).toEqual(["profile.0.txt"]);
  expect(reports[0]).toContain("H100: passed");
});

test("benchmark_index limits a profile to the files of one case", async () => {
  const boundary = "3f9e0c1d2b4a5968-7a6b5c4d3e2f1a0b-1122334455667788-99aabbccddeeff00";
  const part = (name: string, text: string, file = "") =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`;
  const body = Buffer.from(
    `${part("file", SOURCE, '; filename="sub.py"')}${part("benchmark_index", "1")}--${boundary}--\r\n`,
  );
  const headers = { "x-popcorn-cli-id": ann, "content-type": `multipart/form-data; boundary=${boundary}` };
  const streaming = sent(bytesOf("POST", "/profile/double/H100", headers, body));
  const run = await claimedSoon("H100");
  for (const index of [0, 1]) {
    const name = `profile.${index}.txt`;
    const bytes = (async function* () {
      yield Buffer.from(name);
    })();
    const { runId, attempt } = run;
    await putArtifact(testServer.database, testServer.store, box, {
      runId,
      attempt,
      name,
      mediaType: "text/plain",
      bytes,
    });
  }
  await reported(testServer.database, box, run, passing("profile"));
  const { data } = framesOf((await streaming).body).at(-1) ?? {};
  const Result = z.object({
    results: z.array(z.object({ runs: z.record(z.string(), z.object({ profile: z.object({ trace: z.base64() }) })) })),
  });
  const trace = Result.parse(data).results[0]?.runs["profile.0"]?.profile.trace ?? "";
  expect(Object.keys(unzipSync(Buffer.from(trace, "base64")))).toEqual(["profile.1.txt"]);
});

test("the stream of a failed submission ends with its report, and closing a stream changes nothing", async () => {
  const streaming = sent(upload("/double/H100/test", ann));
  await reported(testServer.database, box, await claimedSoon("H100"), failing("crash", "it fell over"));
  const last = framesOf((await streaming).body).at(-1);
  expect(last).toMatchObject({ event: "result", data: { results: [{ error: "it fell over" }] } });
});

test("a deleted submission is not listed, not found and cannot be deleted again", async () => {
  const id = await submitted("test");
  const listed = async () =>
    z.array(z.looseObject({ id: z.int() })).parse(await answered(get("/user/submissions?leaderboard=double&limit=50")));
  expect((await listed()).map((each) => each.id)).toContain(id);
  const remove = () => sent(bytesOf("DELETE", `/user/submissions/${id}`, { "x-popcorn-cli-id": ann }));
  expect((await remove()).status).toBe(200);
  expect((await listed()).map((each) => each.id)).not.toContain(id);
  for (const again of [await remove(), await sent(get(`/user/submissions/${id}`))]) {
    expect([again.status, JSON.parse(again.body)]).toMatchObject([404, { detail: "Submission not found" }]);
  }
  // A moderator may still remove it with a reason, once.
  expect((await sent(byAdmin("DELETE", `/admin/submissions/${id}`))).status).toBe(200);
  expect((await sent(byAdmin("DELETE", `/admin/submissions/${id}`))).status).toBe(404);
});

test("a profile without files, or of a failed kernel, ends as an error instead of an empty archive", async () => {
  const failed = sent(upload("/double/H100/profile", ann));
  await reported(testServer.database, box, await claimedSoon("H100"), failing("crash", "it fell over"));
  expect(framesOf((await failed).body).at(-1)).toMatchObject({
    event: "error",
    data: { status: "error", detail: expect.stringContaining("it fell over") as string },
  });
  const empty = sent(upload("/double/H100/profile", ann));
  await reported(testServer.database, box, await claimedSoon("H100"), passing("profile"));
  expect(framesOf((await empty).body).at(-1)).toMatchObject({
    event: "error",
    data: { detail: expect.stringContaining("its profile has no files") as string },
  });
});

test.each([
  ["#!POPCORN leaderbord double", "this is not a directive"],
  ["#!POPCORN leaderboard", 'the value of "leaderboard" is missing'],
  ["#!POPCORN", "this is not a directive"],
  ["#!POPCORN gpu cpu\n#!POPCORN gpu H100", 'another line has the value "cpu"'],
])("the malformed directive %j is rejected with its line", async (head, why) => {
  const { status, body } = await sent(upload("/submission/double/cpu/test", ann, `import torch\n${head}\n`));
  expect(status).toBe(400);
  const { detail } = z.object({ detail: z.string() }).parse(JSON.parse(body));
  expect(detail).toContain(why);
  expect(detail).toMatch(/^line [23], "#!POPCORN/);
});

test("a base URL with a trailing slash works", async () => {
  expect((await sent(get("//user/submissions?limit=1"))).status).toBe(200);
  expect((await sent(upload("//submission/double/cpu/test", ann))).status).toBe(202);
});

test("administrators control intake, statistics, submissions and boards", async () => {
  expect(await answered(byAdmin("POST", "/admin/stop"))).toEqual({ status: "ok", accepts_jobs: false });
  const refused = await sent(upload("/submission/double/cpu/test", ann));
  expect([refused.status, refused.body]).toEqual([
    503,
    expect.stringContaining("submissions are closed on this server"),
  ]);
  expect(await answered(byAdmin("POST", "/admin/start"))).toEqual({ status: "ok", accepts_jobs: true });
  const id = await submitted("test");
  expect(await answered(byAdmin("GET", "/admin/stats?last_day_only=true"))).toMatchObject({
    status: "ok",
    stats: { "runs_scored.cpu": 1, "max_delay.cpu": expect.stringMatching(/^PT[\d.]+S$/) as string },
  });
  expect(await answered(byAdmin("GET", `/admin/submissions/${id}`))).toMatchObject({
    submission: { submission_id: id, code: SOURCE },
  });
  expect(await answered(byAdmin("GET", "/admin/leaderboards/double/submissions?limit=1"))).toMatchObject({
    submission_ids: [id],
  });
  const used = await sent(byAdmin("DELETE", "/admin/leaderboards/double"));
  expect([used.status, used.body]).toEqual([409, expect.stringContaining("have submissions")]);
  expect(await answered(byAdmin("DELETE", "/admin/leaderboards/triple"))).toMatchObject({
    leaderboard: "triple",
    force: false,
  });
  expect((await sent(upload("/submission/triple/cpu/test", ann, "pass\n"))).status).toBe(409);
  expect(await answered(byAdmin("POST", "/admin/leaderboards", { directory: "triple" }))).toEqual({
    status: "ok",
    leaderboard: "triple",
  });
  expect((await sent(upload("/submission/triple/cpu/test", ann, "pass\n"))).status).toBe(202);
  expect((await sent(byAdmin("POST", "/admin/leaderboards", { directory: "../../etc" }))).status).toBe(404);
});

test("administration rejects callers without the role and invalid tokens", async () => {
  const bearer = (token: string) => bytesOf("POST", "/admin/stop", { authorization: `Bearer ${token}` });
  expect((await sent(bearer(ann))).status).toBe(403);
  for (const token of ["None", "undefined", "null", ""]) expect((await sent(bearer(token))).status).toBe(401);
});

test("problems are updated from a branch; problems with entries only when forced", async () => {
  await using archives = await openArchiveServer();
  await using fresh = await openTestServer({ listening: true, archives: archives.url });
  const token = await fresh.token("root", ["admin"]);
  const update = async (body: unknown): Promise<Response> =>
    fetch(`${fresh.url}/admin/update-problems`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const first = await update({ repository: "some/kernels", branch: "main", force: false });
  // `double` is in the server's own folder, too.
  expect(await first.json()).toMatchObject({
    status: "ok",
    created: ["quadruple"],
    updated: [],
    skipped: [],
    errors: [
      { name: "broken", error: expect.stringContaining("reference.py is missing") as string },
      { name: "double", error: expect.stringContaining("use a prefix, or force its replacement") as string },
    ],
  });
  const forced = await update({ repository: "some/kernels", branch: "main", force: true });
  expect(await forced.json()).toMatchObject({ updated: ["double"], skipped: [{ name: "quadruple" }] });
  const again = await update({ repository: "some/kernels", branch: "main", force: false, problem_set: "set" });
  expect(await again.json()).toMatchObject({
    created: [],
    updated: [],
    skipped: [{ reason: "no changes" }, { reason: "no changes" }],
  });
  expect((await update({ repository: "some/kernels", branch: "none" })).status).toBe(404);
  expect((await update({ repository: "../secrets", branch: "main" })).status).toBe(400);
});

test("update-problems takes names, targets and deadlines from the competition files of the repository", async () => {
  const entry = (directory: string, name: string, more: string) =>
    `{ directory: ${directory}, name: ${name}, ${more} }`;
  const competition = [
    entry("first/fp8_py", "first-fp8", 'deadline: "2100-09-02", gpus: [MI300, B200_Nebius]'),
    entry("set/quadruple", "quad", 'deadline: "2100-11-29 6:59"'),
    entry("first/gone", "first-gone", 'deadline: "2100-09-02", gpus: [L4]'),
  ];
  const task = (problemFiles()["task.yml"] ?? "").replace(/targets.*/, "");
  await using archives = await openArchiveServer({
    "first/fp8_py/task.yml": task,
    "first/fp8_py/reference.py": "def ref_kernel(data): ...\n",
    "first.yaml": `name: First\nproblems: [${competition.join(", ")}]\n`,
    "second.yaml": "name: Second\nproblems: [{ directory: set/broken, name: late, deadline: soon }]\n",
  });
  await using fresh = await openTestServer({ archives: archives.url });
  const token = await fresh.token("root", ["admin", "read"]);
  const update = async (body: object): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const request = { repository: "some/kernels", branch: "main", force: false, ...body };
    const init = { method: "POST", headers, body: JSON.stringify(request) };
    return (await fresh.ask("/admin/update-problems", token, init)).json();
  };
  expect(await update({ problem_set: "first" })).toEqual({
    status: "ok",
    created: ["first-fp8", "quad"],
    updated: [],
    skipped: [],
    errors: [{ name: "first-gone", error: expect.stringContaining('"first/gone/task.yml" is missing') as string }],
  });
  expect(await (await fresh.ask("/gpus/first-fp8")).json()).toEqual(["B200_Nebius", "MI300"]);
  expect(await (await fresh.ask("/leaderboards")).json()).toContainEqual(
    expect.objectContaining({ name: "quad", deadline: "2100-11-29T06:59:00.000Z" }),
  );
  expect(await update({ problem_set: "first" })).toMatchObject({
    created: [],
    updated: [],
    skipped: [
      { name: "first-fp8", reason: "no changes" },
      { name: "quad", reason: "no changes" },
    ],
  });
  expect(await update({ problem_set: "second", prefix: "two-" })).toMatchObject({
    created: [],
    errors: [{ name: "second.yaml", error: expect.stringContaining('"soon" is not a valid date') as string }],
  });
  expect(await update({ problem_set: "none" })).toMatchObject({
    detail: expect.stringContaining("its sets are first, second, set") as string,
  });
});

test("update-problems with closed makes new problems visible to members only", async () => {
  await using archives = await openArchiveServer();
  await using fresh = await openTestServer({ archives: archives.url });
  const token = await fresh.token("root", ["admin", "read"]);
  const update = (body: object) =>
    fresh.ask("/admin/update-problems", token, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ repository: "some/kernels", branch: "main", force: false, ...body }),
    });
  const answer = await update({ visibility: "closed" });
  expect(await answer.json()).toMatchObject({
    created: ["quadruple"],
    updated: [],
    errors: [
      { name: "broken" },
      // A public problem: the request is rejected as a whole, rather than updating it in public.
      {
        name: "double",
        error: expect.stringContaining("requested as closed but already exists in no competition") as string,
      },
    ],
  });
  const stranger = await fresh.token("stranger");
  for (const who of [undefined, stranger]) {
    for (const path of ["/leaderboards", "/api/v1/problems", "/problems", "/"]) {
      expect(await (await fresh.ask(path, who)).text()).not.toContain("quadruple");
    }
    for (const path of [
      "/api/v1/problems/quadruple",
      "/problems/quadruple",
      "/boards/quadruple/cpu",
      "/gpus/quadruple",
    ]) {
      expect([path, (await fresh.ask(path, who)).status]).toEqual([path, 404]);
    }
  }
  expect(await (await fresh.ask("/leaderboards", token)).json()).toContainEqual(
    expect.objectContaining({ name: "quadruple", visibility: "closed" }),
  );
  // Invite codes for the board give access.
  const init = { method: "POST", headers: { "content-type": "application/json" } };
  const invites = await fresh.ask("/admin/invites", token, {
    ...init,
    body: JSON.stringify({ leaderboards: ["quadruple"], count: 1 }),
  });
  const { codes } = z.object({ codes: z.array(z.string()) }).parse(await invites.json());
  const headers = { ...init.headers, "x-popcorn-cli-id": stranger };
  await fresh.ask("/user/join", undefined, { method: "POST", headers, body: JSON.stringify({ code: codes[0] }) });
  expect((await fresh.ask("/gpus/quadruple", stranger)).status).toBe(200);
  // A later update keeps the problem closed, with or without the option, and cannot make it public.
  expect(await (await update({ visibility: "closed" })).json()).toMatchObject({ skipped: [{ name: "quadruple" }] });
  expect(await (await update({ force: true })).json()).toMatchObject({
    updated: ["double"],
    skipped: [{ name: "quadruple" }],
  });
  expect(await (await update({ visibility: "public" })).json()).toMatchObject({
    errors: [
      { name: "broken" },
      { name: "quadruple", error: expect.stringContaining("change the visibility of quadruple") as string },
    ],
  });
  expect((await fresh.ask("/gpus/quadruple")).status).toBe(404);
});

test.each([
  ["/admin/update-problems", { visibility: "hidden" }, "visibility"],
  ["/admin/update-problems", { closed: true }, "closed"],
  ["/admin/leaderboards", { directory: "triple", visibility: "private" }, "visibility"],
  ["/admin/leaderboards", { directory: "triple", closed: true }, "closed"],
  ["/admin/invites", { leaderboards: ["double"], number: 3 }, "number"],
  ["/user/join", { code: "0".repeat(32), quiet: true }, "quiet"],
])("%s rejects %j and names the unknown field", async (path, body, named) => {
  const { status, body: text } = await sent(byAdmin("POST", path, body));
  expect(status).toBe(422);
  expect(z.object({ detail: z.string() }).parse(JSON.parse(text)).detail).toContain(named);
});

test.each([
  ["DELETE", "/admin/leaderboards/double?force=yes", 'force must be true or false, not "yes"'],
  ["DELETE", "/admin/leaderboards/double?forced=true", 'unknown query parameter "forced": allowed: force'],
  ["GET", "/admin/stats?last_day=true", 'unknown query parameter "last_day": allowed: last_day_only, leaderboard_name'],
  ["POST", "/admin/stop?for=1h", 'unknown query parameter "for": this endpoint has none'],
])("%s %s is rejected and changes nothing", async (method, path, detail) => {
  const { status, body } = await sent(byAdmin(method, path));
  expect([status, JSON.parse(body)]).toMatchObject([400, { detail }]);
  expect((await sent(upload("/submission/double/cpu/test", ann))).status).toBe(202);
});

test("scripts change the visibility and the rate limits of a board, and remove a user's submissions to it", async () => {
  await using fresh = await openTestServer();
  const [token, user] = [await fresh.token("root", ["admin", "read"]), await fresh.token("ann")];
  const call = async (method: string, path: string, body?: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fresh.ask(`/admin/${path}`, token, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return [response.status, await response.json()] as const;
  };
  const board = {
    leaderboard_name: "double",
    leaderboard_id: expect.any(Number) as number,
    id: expect.any(Number) as number,
  };
  const limit = { ...board, mode_category: "test", max_submissions_per_hour: 2 };
  const limits = "leaderboards/double/rate-limits";
  expect(await call("PUT", limits, { mode_category: "test", max_submissions_per_hour: 0 })).toEqual([
    200,
    { status: "ok", rate_limit: { ...limit, max_submissions_per_hour: 0 } },
  ]);
  expect(await call("PUT", limits, { mode_category: "test", max_submissions_per_hour: 2 })).toEqual([
    200,
    { status: "ok", rate_limit: limit },
  ]);
  expect(await call("PUT", limits, { mode_category: "test", max_submissions_per_hour: -1 })).toMatchObject([422, {}]);
  expect(await call("GET", limits)).toEqual([200, { status: "ok", leaderboard: "double", rate_limits: [limit] }]);
  const submits = async () => {
    const form = new FormData();
    form.set("file", new File([SOURCE], "sub.py"));
    const init = { method: "POST", headers: { "x-popcorn-cli-id": user }, body: form };
    return (await fresh.ask("/submission/double/cpu/test", undefined, init)).status;
  };
  expect([await submits(), await submits(), await submits()]).toEqual([202, 202, 429]);
  expect(await call("DELETE", `${limits}/test`)).toMatchObject([200, { mode_category: "test" }]);
  expect(await call("DELETE", `${limits}/test`)).toMatchObject([404, {}]);
  expect(await submits()).toBe(202);

  const { leaderboard_id } = board;
  const { number } =
    (await fresh.database.db.selectFrom("problem").select("number").where("name", "=", "double").execute())[0] ?? {};
  const of = (name: string) => `submissions?leaderboard_id=${number}&user_name=${name}`;
  expect(await call("DELETE", of("ann"))).toEqual([
    200,
    { status: "ok", leaderboard_id, user_name: "ann", deleted_job_status: 3, deleted_runs: 3, deleted_submissions: 3 },
  ]);
  expect(await call("DELETE", of("ann"))).toMatchObject([200, { deleted_submissions: 0 }]);
  expect(await call("DELETE", "submissions?leaderboard_id=999999&user_name=ann")).toMatchObject([404, {}]);

  const visibility = "leaderboards/double/visibility";
  expect(await call("POST", visibility, { visibility: "closed" })).toEqual([
    200,
    { status: "ok", leaderboard: "double", visibility: "closed" },
  ]);
  expect((await fresh.ask("/gpus/double", user)).status).toBe(404);
  expect(await call("POST", visibility, { visibility: "public" })).toMatchObject([200, {}]);
  expect((await fresh.ask("/gpus/double", user)).status).toBe(200);
});

test("the visibility of a board whose competition has other boards is refused", async () => {
  await using fresh = await openTestServer();
  const token = await fresh.token("root", ["admin", "read"]);
  const dates = { startsAt: new Date(Date.now() - 1000).toISOString(), endsAt: "2100-01-01T00:00:00Z" };
  const spec = CompetitionSpec.parse({ name: "spring", title: "Spring", ...dates, problems: ["double", "triple"] });
  await createCompetition(fresh.database, await person(fresh.database, "olga", ["admin"], ["organiser"]), spec);
  const response = await fresh.ask("/admin/leaderboards/double/visibility", token, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ visibility: "closed" }),
  });
  expect([response.status, await response.json()]).toMatchObject([
    409,
    { detail: expect.stringContaining("in the competition spring with triple") as string },
  ]);
});

test("create-leaderboard with visibility closed creates a members-only board, and rejects a public one", async () => {
  await using fresh = await openTestServer();
  const token = await fresh.token("root", ["admin", "read"]);
  const create = (body: object) =>
    fresh.ask("/admin/leaderboards", token, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const refused = await create({ directory: "double", visibility: "closed" });
  expect([refused.status, await refused.json()]).toMatchObject([
    422,
    { detail: expect.stringContaining("already exists") as string },
  ]);
  cpSync(join(fresh.problemsFolder, "set/double"), join(fresh.problemsFolder, "set/hidden"), { recursive: true });
  const created = await create({ directory: "hidden", visibility: "closed" });
  expect([created.status, await created.json()]).toEqual([200, { status: "ok", leaderboard: "hidden" }]);
  expect((await fresh.ask("/gpus/hidden")).status).toBe(404);
  expect((await fresh.ask("/gpus/hidden", token)).status).toBe(200);
});

test("a frozen board states its end in the description and in each row", async () => {
  const olga = await person(testServer.database, "olga", ["admin"], ["organiser"]);
  const at = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
  const spec = { name: "spring", title: "Spring", startsAt: at(-60), endsAt: at(60), problems: ["triple"] };
  await createCompetition(testServer.database, olga, CompetitionSpec.parse(spec));
  await ranked(testServer.database, olga, box, 100, { board: "triple" });
  const freezeAt = at(0);
  await changeCompetition(testServer.database, olga, CompetitionSpec.parse({ ...spec, freezeAt }));
  const boards = z
    .array(z.looseObject({ name: z.string(), description: z.string() }))
    .parse(await answered(bytesOf("GET", "/leaderboards", {})));
  const frozen = `Frozen: until ${spec.endsAt} the boards show the ranking of ${freezeAt}.`;
  expect(boards.filter(({ description }) => description.startsWith(frozen)).map(({ name }) => name)).toEqual([
    "triple",
  ]);
  expect(await answered(bytesOf("GET", "/submissions/triple/cpu", {}))).toMatchObject([{ frozen_until: spec.endsAt }]);
});
