/** Guarantees of the server for any input. Permissions are tested in `routes.test.ts`. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ApiError, CompetitionSpec, type Claimed } from "@kernelbot/core";
import { authenticate } from "../src/auth/tokens.ts";
import { inHours } from "@kernelbot/testing/competitions.ts";
import { caseFinished, claimed, request, rounds, submitted } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { visitorsOf, type Tokens, type Visitor } from "@kernelbot/testing/visitors.ts";

let testServer: TestServer;
let tokens: Tokens;
beforeAll(async () => {
  testServer = await openTestServer();
  tokens = await visitorsOf(testServer);
});
afterAll(() => testServer[Symbol.asyncDispose]());

/** Sends a request that must be rejected; the body is sent as JSON, a string unchanged. */
async function refused(
  who: Visitor,
  method: string,
  path: string,
  body?: unknown,
): Promise<ApiError & { status: number }> {
  const headers = { "content-type": "application/json" };
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await testServer.ask(path, tokens[who], {
    method,
    headers,
    ...(body !== undefined && { body: text }),
  });
  return { status: response.status, ...ApiError.strict().parse(await response.json()) };
}

const SPEC = CompetitionSpec.parse({ name: "spring", title: "Spring", startsAt: inHours(-1), endsAt: inHours(1) });
const DEEP = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;

test.each<[what: string, method: string, path: string, body: unknown, status: number, sentence: RegExp]>([
  ["a NUL in the name of a board", "GET", "/gpus/a%00b", undefined, 422, /NUL/],
  ["a NUL in the name of a target", "GET", "/runner_queue/a%00b", undefined, 422, /NUL/],
  ["a NUL in the number of an account", "POST", "/admin/ban/a%00b", undefined, 422, /NUL/],
  [
    "a NUL in a title",
    "POST",
    "/api/v1/competitions",
    { ...SPEC, title: "a\0b" },
    422,
    /title: use printable characters/,
  ],
  [
    "a NUL in the name of an organiser",
    "POST",
    "/api/v1/competitions",
    { ...SPEC, organisers: ["a\0b"] },
    422,
    /organisers\[0\]: use printable characters/,
  ],
  [
    "the year 0",
    "POST",
    "/api/v1/competitions",
    { ...SPEC, startsAt: "0000-01-01T00:00:00Z" },
    422,
    /^startsAt: .*1970/,
  ],
  [
    "a NUL in the name of a baseline's hardware",
    "POST",
    "/api/v1/kernelbench/baselines",
    { id: "a", hardware: "a\0b", kind: "eager", file: { level1: { "1_a.py": { mean: 1 } } } },
    422,
    /NUL/,
  ],
  ["codes for no board", "POST", "/admin/invites", { leaderboards: [] }, 422, /name at least one leaderboard/],
  ["arrays within 50,000 others", "POST", "/api/v1/invites/claim", DEEP, 422, /nested deeper than 100 levels/],
])("rejects %s with an explanation", async (_, method, path, body, status, sentence) => {
  const refusal = await refused("administrator", method, path, body);
  expect(refusal).toMatchObject({ status, code: "unprocessable" });
  expect(refusal.detail).toMatch(sentence);
});

/** Returns a ranked run of the owner that the runner has leased. */
async function held(): Promise<Claimed> {
  await submitted(testServer.database, await authenticate(testServer.database, tokens.owner ?? ""), { mode: "ranked" });
  return claimed(testServer.database, await authenticate(testServer.database, tokens.runner ?? ""));
}

const TIMED = caseFinished("ranked", 0, rounds(1234));
const timed = (figure: string): string => JSON.stringify(TIMED).replaceAll("1234", figure);

test.each<[what: string, event: string, status: number]>([
  ["NaN", timed("NaN"), 400],
  ["infinity", timed("1e999"), 422],
  ["a negative time", timed("-1"), 422],
  ["a time as a text", timed('"1"'), 422],
  ["no time", timed("null"), 422],
  ["more rounds than a case has", JSON.stringify({ ...TIMED, rounds: rounds(1, 1, 201) }), 422],
  [
    "more calls than a round has",
    JSON.stringify({ ...TIMED, rounds: [{ candidateNs: Array(1001).fill(1), referenceNs: [] }] }),
    422,
  ],
  ["a longer message than a judge writes", JSON.stringify({ ...TIMED, message: "x".repeat(20_001) }), 422],
  ["an event that no judge knows", JSON.stringify({ type: "score", timeNs: 1 }), 422],
])("rejects a report with %s completely, and stores nothing of it", async (_, event, status) => {
  const { runId, attempt } = await held();
  const report = `{"attempt":${attempt},"from":0,"events":[${event}]}`;
  expect((await refused("runner", "POST", `/api/v1/runner/runs/${runId}/report`, report)).status).toBe(status);
  const [run] = await testServer.database.sql`select state, reported, time_ns from run where id = ${runId}`;
  expect(run).toEqual({ state: "running", reported: 0, time_ns: null });
});

test.each(["a\r\nset-cookie: b=c.py", "a\u202eyp.py", "../a.py", "a\0.py"])(
  "rejects the file name %j, so that no header, page or terminal contains it",
  async (fileName) => {
    const submission = await refused("owner", "POST", "/api/v1/submissions", request({ fileName }));
    expect(submission.status).toBe(422);
  },
);

test("headers of a download contain no user-provided text", async () => {
  const owner = await authenticate(testServer.database, tokens.owner ?? "");
  const id = await submitted(testServer.database, owner, { fileName: "kernel; filename=evil.html é.py" });
  const { headers } = await testServer.ask(`/api/v1/submissions/${id}/source`, tokens.owner);
  expect(headers.get("content-disposition")).toBe("attachment");
  expect(headers.get("content-type")).toMatch(/^text\/plain/);
});

test("starting a sign-in without an account stores nothing permanently", async () => {
  const sizes = () => testServer.database.sql`
    select relname, (xpath('/row/n/text()', query_to_xml('select count(*) as n from ' || quote_ident(relname), true, true, '')))[1]::text as n
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`;
  const before = await sizes();
  for (let time = 0; time < 20; time += 1) await testServer.ask("/auth/init");
  expect([...(await sizes())]).toEqual([...before]);
});
