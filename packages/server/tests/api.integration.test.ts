import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ApiError,
  Board,
  Claimed,
  ProblemDetail,
  ProblemLimits,
  RunDetail,
  Submission,
  SubmissionList,
} from "@kernelbot/core";
import { loadAssets } from "@kernelbot/web";
import { setServerLimits } from "../src/submissions/raised-limits.ts";
import { MACHINE, passing, person, ranked, request, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
let ann: string;
let bob: string;

beforeAll(async () => {
  testServer = await openTestServer();
  ann = await testServer.token("ann");
  bob = await testServer.token("bob");
});
afterAll(() => testServer[Symbol.asyncDispose]());

function json(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

async function submitted(token = ann, change = {}): Promise<Submission> {
  const response = await testServer.ask("/api/v1/submissions", token, json(request(change)));
  expect(response.status).toBe(202);
  return Submission.parse(await response.json());
}

/** Returns the status and body of an error response. */
async function refusal(response: Response) {
  return { status: response.status, ...ApiError.parse(await response.json()) };
}

test("an accepted submission returns 202 with its content and Location", async () => {
  const response = await testServer.ask("/api/v1/submissions", ann, json(request()));
  expect(response.status).toBe(202);
  const submission = Submission.parse(await response.json());
  expect(response.headers.get("location")).toBe(`/api/v1/submissions/${submission.id}`);
  expect(await testServer.ask(response.headers.get("location") ?? "", ann).then((answer) => answer.status)).toBe(200);
});

test("a form submits like JSON, with a repeated or comma-separated target", async () => {
  for (const targets of [["cpu", "H100"], ["cpu, H100"]]) {
    const form = new FormData();
    form.set("board", "double");
    form.set("mode", "test");
    form.set("file", new File(["x = 'é'\n"], "kernel.py"));
    for (const target of targets) form.append("target", target);
    const response = await testServer.ask("/api/v1/submissions", ann, { method: "POST", body: form });
    expect(response.status).toBe(202);
    const submission = Submission.parse(await response.json());
    expect(submission).toMatchObject({ fileName: "kernel.py", runs: [{ target: "cpu" }, { target: "H100" }] });
    expect(await (await testServer.ask(`/api/v1/submissions/${submission.id}/source`, ann)).text()).toBe("x = 'é'\n");
  }
});

test("a repeated request under the same key is one submission", async () => {
  const key = { "idempotency-key": "once" };
  const [first, second] = await Promise.all(
    [1, 2].map(async () => testServer.ask("/api/v1/submissions", ann, json(request(), key))),
  );
  expect(Submission.parse(await first?.json()).id).toBe(Submission.parse(await second?.json()).id);
  const other = await testServer.ask("/api/v1/submissions", ann, json(request({ source: "x = 2\n" }), key));
  expect(await refusal(other)).toMatchObject({ status: 409, code: "conflict" });
});

const FORM = (body: string, type = "multipart/form-data; boundary=----edge"): RequestInit => ({
  method: "POST",
  headers: { "content-type": type },
  body,
});
const PART = (head: string, body: string): string =>
  `------edge\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;

const FILE = PART('name="file"; filename="kernel.py"', "x = 1");

test.each<[what: string, init: RequestInit, status: number, sentence: RegExp]>([
  ["an unknown board", json(request({ board: "dubble" })), 404, /"dubble".*double/s],
  ["a target that the board does not have", json(request({ targets: ["B200"] })), 422, /B200.*cpu/s],
  ["an unknown mode", json({ ...request(), mode: "fast" }), 422, /^mode: .*test.*ranked/],
  ["an invalid target name", json(request({ targets: ["a b"] })), 422, /^targets\[0\]: use letters/],
  ["no source", json({ ...request(), source: undefined }), 422, /^source: /],
  ["an empty source", json(request({ source: "" })), 422, /empty/],
  ["a source of more than 1 MB", json(request({ source: "x".repeat(1_000_001) })), 413, /larger than 1,000,000 bytes/],
  ["a request that is far too large", json(request({ source: "x".repeat(5_000_000) })), 413, /at most 1,000,000 bytes/],
  ["a file name with a path", json(request({ fileName: "../../x.py" })), 422, /path/],
  ["a body that is not JSON", { ...json({}), body: "{" }, 400, /not JSON/],
  ["JSON that is not UTF-8", { ...json({}), body: new Uint8Array([0x22, 0xff, 0x22]) }, 400, /UTF-8/],
  [
    "another media type",
    { method: "POST", headers: { "content-type": "text/plain" }, body: "x" },
    415,
    /application\/json/,
  ],
  ["no body", { method: "POST" }, 415, /application\/json/],
  [
    "a form that cannot hold a file",
    { method: "POST", body: new URLSearchParams({ board: "double" }) },
    415,
    /application\/x-www-form-urlencoded.*application\/json or multipart\/form-data/,
  ],
  ["a form without its boundary", FORM("x", "multipart/form-data"), 400, /form data is malformed/],
  ["a form that is cut off", FORM(PART('name="board"', "double").slice(0, 30)), 400, /form data is malformed/],
  ["a form without a file", FORM(`${PART('name="board"', "double")}------edge--\r\n`), 422, /file: send exactly one/],
  [
    "a form whose file is a text field",
    FORM(`${PART('name="file"', "x = 1")}------edge--\r\n`),
    422,
    /file: send exactly one/,
  ],
  [
    "a form that names no target",
    FORM(`${PART('name="board"', "double")}${FILE}------edge--\r\n`),
    422,
    /name a target/,
  ],
  [
    "a form with two boards",
    FORM(`${PART('name="board"', "double").repeat(2)}------edge--\r\n`),
    422,
    /^board: send it once/,
  ],
  [
    "a form whose target is a file",
    FORM(`${PART('name="target"; filename="cpu"', "cpu")}${FILE}------edge--\r\n`),
    422,
    /^target: send it as text/,
  ],
  ["a form with an unknown field", FORM(`${PART('name="bord"', "double")}------edge--\r\n`), 422, /"bord"/],
  ["a file that is not UTF-8", latin1Form(), 422, /UTF-8/],
])("rejects %s with an explanation, and stores nothing", async (_, init, status, sentence) => {
  const count = async () =>
    SubmissionList.parse(await (await testServer.ask("/api/v1/submissions?limit=200", ann)).json());
  const before = await count();
  const error = await refusal(await testServer.ask("/api/v1/submissions", ann, init));
  expect(error.status).toBe(status);
  expect(error.detail).toMatch(sentence);
  expect((await count()).submissions).toHaveLength(before.submissions.length);
});

function latin1Form(): RequestInit {
  const form = new FormData();
  form.set("board", "double");
  form.set("target", "cpu");
  form.set("mode", "test");
  form.set("file", new File([new Uint8Array([0x23, 0xe9])], "kernel.py"));
  return { method: "POST", body: form };
}

test.each<[what: string, headers: Record<string, string>, sentence: RegExp]>([
  ["no token", {}, /token is needed/],
  ["a token of another kind", { authorization: "Basic YTpi" }, /Bearer TOKEN/],
  ["an unknown token", { authorization: `Bearer kb_${"x".repeat(43)}` }, /unknown to this server/],
])("%s returns 401 and how to authenticate", async (_, headers, sentence) => {
  const response = await testServer.ask("/api/v1/submissions", undefined, { headers });
  expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
  expect(await refusal(response)).toMatchObject({
    status: 401,
    code: "unauthorized",
    detail: expect.stringMatching(sentence) as string,
  });
});

test.each(["0", "-1", "1e0", "0x1", "1.0", "%20", "abc", "9007199254740993"])(
  "rejects %s as a submission id with an explanation",
  async (id) => {
    await submitted();
    expect(await refusal(await testServer.ask(`/api/v1/submissions/${id}`, ann))).toMatchObject({
      status: 422,
      detail: "id: use a whole number from 1 to 9007199254740991",
    });
  },
);

test("rejects an event number that no event can have before the stream starts", async () => {
  const { id } = await submitted();
  for (const address of [`/api/v1/submissions/${id}/events`, `/submissions/${id}/updates`]) {
    expect((await testServer.ask(`${address}?after=2147483648`, ann)).status).toBe(422);
  }
});

test("a token can do only what its scopes allow", async () => {
  const reader = await testServer.token("ann", ["read"]);
  expect(await refusal(await testServer.ask("/api/v1/submissions", reader, json(request())))).toMatchObject({
    status: 403,
    detail: expect.stringMatching(/submit/) as string,
  });
  const claim = { target: "cpu", runner: "r", machine: {}, waitMs: 0 };
  expect(await refusal(await testServer.ask("/api/v1/runner/claim", ann, json(claim)))).toMatchObject({ status: 403 });
});

test("another account's submission is not found on any route", async () => {
  const { id, runs } = await submitted();
  const ways: [string, string][] = [
    ["GET", `submissions/${id}`],
    ["GET", `submissions/${id}/source`],
    ["GET", `submissions/${id}/events`],
    ["POST", `submissions/${id}/cancel`],
    ["GET", `runs/${runs[0]?.id ?? 0}`],
  ];
  for (const [method, path] of ways) {
    const response = await testServer.ask(`/api/v1/${path}`, bob, { method });
    expect(await refusal(response)).toMatchObject({ status: 404, code: "not_found" });
  }
  const admin = await testServer.token("root", ["admin"]);
  expect((await testServer.ask(`/api/v1/submissions/${id}`, admin)).status).toBe(200);
});

test("lists the caller's submissions, newest first, by page", async () => {
  const cleo = await testServer.token("cleo");
  const ids = [];
  for (let index = 0; index < 3; index += 1) ids.push((await submitted(cleo)).id);
  const page = async (query: string) => {
    const list = SubmissionList.parse(await (await testServer.ask(`/api/v1/submissions?${query}`, cleo)).json());
    return list.submissions.map(({ id }) => id);
  };
  expect(await page("limit=2")).toEqual([ids[2], ids[1]]);
  expect(await page(`limit=2&before=${ids[1]}`)).toEqual([ids[0]]);
  const bad = await testServer.ask("/api/v1/submissions?limit=lots", cleo);
  expect(await refusal(bad)).toMatchObject({ status: 422, detail: expect.stringMatching(/^limit: /) as string });
});

test("returns 304 for a known ETag until something changes", async () => {
  const { id } = await submitted(await testServer.token("dora"));
  const dora = await testServer.token("dora");
  const first = await testServer.ask(`/api/v1/submissions/${id}`, dora);
  const tag = { "if-none-match": first.headers.get("etag") ?? "" };
  expect((await testServer.ask(`/api/v1/submissions/${id}`, dora, { headers: tag })).status).toBe(304);
  await testServer.ask(`/api/v1/submissions/${id}/cancel`, dora, { method: "POST" });
  const after = await testServer.ask(`/api/v1/submissions/${id}`, dora, { headers: tag });
  expect(Submission.parse(await after.json()).runs[0]?.state).toBe("cancelled");
});

test("a runner claims and reports over the API, and the run shows verdict, cases and machine", async () => {
  await using own = await openTestServer();
  const eve = await own.token("eve");
  const box = await own.token("box", ["runner"], ["cpu"]);
  await own.ask("/api/v1/submissions", eve, json(request({ mode: "ranked" })));
  const claim = { target: "cpu", runner: "box", machine: MACHINE, waitMs: 0 };
  const leased = Claimed.parse(await (await own.ask("/api/v1/runner/claim", box, json(claim))).json());
  expect((await own.ask("/api/v1/runner/claim", box, json(claim))).status).toBe(204);

  const problem = await own.ask(`/api/v1/runner/problems/${leased.problemVersion}`, box);
  expect(await problem.json()).toMatchObject({ spec: { name: "double" } });
  const report = { attempt: leased.attempt, from: 0, events: passing("ranked") };
  const answer = await own.ask(`/api/v1/runner/runs/${leased.runId}/report`, box, json(report));
  expect(await answer.json()).toEqual({ received: report.events.length, cancelled: false });
  const stale = await own.ask(`/api/v1/runner/runs/${leased.runId}/report`, box, json({ ...report, attempt: 9 }));
  expect(await refusal(stale)).toMatchObject({ status: 409, code: "stale_attempt" });

  const run = RunDetail.parse(await (await own.ask(`/api/v1/runs/${leased.runId}`, eve)).json());
  expect(run).toMatchObject({ state: "done", verdict: "passed", machine: MACHINE });
  expect(run.stages.map(({ stage }) => stage)).toEqual(["prepare", "test", "ranked"]);
});

test.each(["attempt", "from"])("rejects a report whose %s is out of range with an explanation", async (name) => {
  await using own = await openTestServer();
  const box = await own.token("box", ["runner"], ["cpu"]);
  const report = { attempt: 1, from: 0, events: [], [name]: 2 ** 31 };
  expect(await refusal(await own.ask("/api/v1/runner/runs/1/report", box, json(report)))).toMatchObject({
    status: 422,
    detail: expect.stringMatching(`^${name}: `) as string,
  });
});

test("problems and boards are public", async () => {
  const problem = ProblemDetail.parse(await (await testServer.ask("/api/v1/problems/double")).json());
  expect(problem.files["reference.py"]).toContain("ref_kernel");
  expect(await (await testServer.ask("/api/v1/problems")).json()).toMatchObject({
    problems: [{ name: "double" }, { name: "triple" }],
  });
  expect(await refusal(await testServer.ask("/api/v1/problems/x"))).toMatchObject({ status: 404 });
  expect(await refusal(await testServer.ask("/api/v1/boards/double/B200"))).toMatchObject({ status: 404 });
  expect(await refusal(await testServer.ask("/api/v1/boards/double%00/cpu"))).toMatchObject({ status: 422 });
});

test("a board's ETag changes with its rows", async () => {
  await using own = await openTestServer();
  const first = await own.ask("/api/v1/boards/double/cpu");
  const tag = { headers: { "if-none-match": first.headers.get("etag") ?? "" } };
  expect((await own.ask("/api/v1/boards/double/cpu", undefined, tag)).status).toBe(304);
  await ranked(own.database, await person(own.database, "fay"), await runner(own.database), 100);
  const after = await own.ask("/api/v1/boards/double/cpu", undefined, tag);
  expect(Board.parse(await after.json()).rows).toMatchObject([{ rank: 1, account: { name: "fay" } }]);
});

test("submissions return the remaining allowance, and a rejected one when to retry", async () => {
  await setServerLimits(testServer.database, { benchmarkPerHour: 2 });
  const submit = async () => testServer.ask("/api/v1/submissions", bob, json(request({ mode: "benchmark" })));
  const answers = [await submit(), await submit(), await submit()];
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 429]);
  const [first, , refused] = answers.map(({ headers }) => headers);
  expect(first?.get("ratelimit-policy")).toBe('"benchmark-per-hour";q=2;w=3600;qu="requests"');
  expect(first?.get("ratelimit")).toBe('"benchmark-per-hour";r=1');
  const seconds = Number(refused?.get("retry-after"));
  expect(seconds).toBeGreaterThan(3500);
  expect(refused?.get("ratelimit")).toBe(`"benchmark-per-hour";r=0;t=${seconds}`);
  expect(ProblemLimits.parse(await (await testServer.ask("/api/v1/problems/double/limits", bob)).json())).toMatchObject(
    {
      limits: [{ mode: "benchmark", bound: 2 }],
      own: [{ used: 2, nextAt: expect.any(String) as string }],
    },
  );
  await setServerLimits(testServer.database, {});
});

test("unknown paths return JSON under /api and a page elsewhere", async () => {
  expect(await refusal(await testServer.ask("/api/v1/nothing"))).toMatchObject({
    status: 404,
    detail: expect.stringMatching(/GET \/api\/v1\/nothing/) as string,
  });
  const page = await testServer.ask("/nothing", undefined, { headers: { accept: "text/html,*/*" } });
  expect(page.status).toBe(404);
  expect(page.headers.get("content-type")).toMatch(/^text\/html/);
});

test("every response has security headers and a request id", async () => {
  const { paths } = await loadAssets();
  for (const path of ["/", "/api/v1/problems", "/api/v1/submissions", "/nothing", paths.style]) {
    const { headers } = await testServer.ask(path);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  }
});

test("an internal error returns only an id; the log has the details, without tokens", async () => {
  await using broken = await openTestServer();
  const token = await broken.token("ann");
  const { id } = Submission.parse(await (await broken.ask("/api/v1/submissions", token, json(request()))).json());
  await broken.database.sql`alter table code rename to code_of_old`;
  const error = await refusal(await broken.ask(`/api/v1/submissions/${id}/source`, token));
  expect(error).toMatchObject({ status: 500, code: "internal" });
  expect(error.detail).not.toMatch(/code|relation|sql/i);
  const number = /[0-9a-f-]{36}/.exec(error.detail)?.[0] ?? "none";
  const line = broken.logged.find((line) => line.includes(number));
  expect(line).toContain("does not exist");
  expect(line).not.toContain(token);
});
