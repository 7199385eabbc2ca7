/** Evaluation sessions: budgets, transcripts, and transcripts of submissions; runs are reported as a runner would. */
import { mkdtempSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import {
  Evaluation,
  EvaluationBatchCreated,
  EvaluationSession,
  MAX_NOTES,
  Submission,
  Transcript,
  type ApiError,
  type JudgeEvent,
} from "@kernelbot/core";
import type { Identity } from "../../auth/identity.ts";
import { openDirectoryStore } from "../../artifacts/directory.ts";
import { claimed, JUDGE_FAILED, passing, reported, request, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { deleteOldEvaluations } from "../delete-old.ts";
import { expireEvaluations } from "../end.ts";

let server: TestServer;
let box: Identity;
let people = 0;
let token: string;

beforeAll(async () => {
  server = await openTestServer();
  box = await runner(server.database);
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  people += 1;
  token = await server.token(`agent-${people}`);
});

const path = "/api/v1/evaluation-sessions";

function send(method: string, where: string, body?: unknown, { by = token, key }: { by?: string; key?: string } = {}) {
  return server.ask(where, by, {
    method,
    headers: { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

const budget = { problem: "double", target: "cpu", maxEvaluations: 5, maxSeconds: 600 };

async function open(change: Partial<typeof budget> = {}): Promise<EvaluationSession> {
  return EvaluationSession.parse(await (await send("POST", path, { ...budget, ...change })).json());
}

async function session(id: number): Promise<EvaluationSession> {
  return EvaluationSession.parse(await (await send("GET", `${path}/${id}`)).json());
}

async function transcript(id: number): Promise<Transcript> {
  return Transcript.parse(await (await send("GET", `${path}/${id}/transcript`)).json());
}

let sources = 0;
const source = () => `x = ${(sources += 1)}\n`;

function evaluate(id: number, change: Record<string, unknown> = {}, options: { by?: string; key?: string } = {}) {
  const body = { problem: "double", target: "cpu", code: source(), level: "test", session: id, ...change };
  return send("POST", "/api/v1/evaluations", body, options);
}

async function detailOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as ApiError).detail];
}

/** Claims the next run and reports these events, or those of a run that passed. */
async function judge(events?: JudgeEvent[]): Promise<void> {
  const run = await claimed(server.database, box);
  await reported(server.database, box, run, events ?? passing(run.mode));
}

/** Cancels what is queued, so that no run is left for the next test. */
async function cancel(id: number): Promise<void> {
  for (const step of (await transcript(id)).steps) {
    if (step.kind === "evaluation") await send("DELETE", `/api/v1/evaluations/${step.id}`);
  }
}

test("a session counts its evaluations, and each response says what is left", async () => {
  const response = await send("POST", path, budget);
  expect(response.status).toBe(201);
  const opened = EvaluationSession.parse(await response.json());
  expect(response.headers.get("location")).toBe(`${path}/${opened.id}`);
  expect(opened).toMatchObject({ problem: "double", target: "cpu", maxEvaluations: 5, evaluationsLeft: 5 });
  expect(opened.secondsLeft).toBeGreaterThan(590);
  const first = await evaluate(opened.id, { code: "same = 1\n" });
  expect(Evaluation.parse(await first.json()).session).toMatchObject({ id: opened.id, evaluationsLeft: 4 });
  await judge();
  const cached = Evaluation.parse(await (await evaluate(opened.id, { code: "same = 1\n" })).json());
  expect(cached).toMatchObject({ cached: true, state: "done", session: { evaluationsLeft: 3 } });
  const { session: without } = Evaluation.parse(await (await evaluate(opened.id, { session: undefined })).json());
  expect(without).toBeNull();
  expect(await session(opened.id)).toMatchObject({ evaluationsLeft: 3 });
  await judge();
});

test("20 evaluations at once against a budget of 5 are exactly 5", async () => {
  const { id } = await open();
  const responses = await Promise.all(Array.from({ length: 20 }, () => evaluate(id)));
  expect(responses.filter(({ status }) => status === 202)).toHaveLength(5);
  const refused = responses.filter(({ status }) => status === 409);
  expect(refused).toHaveLength(15);
  expect(await (refused[0] as Response).json()).toEqual({
    detail: `evaluation session ${id} has 0 of its 5 evaluations left, and 1 more is requested; open another session, or evaluate without one`,
    code: "conflict",
    session: { id, evaluationsLeft: 0, secondsLeft: expect.any(Number) as number },
  });
  expect((await transcript(id)).steps).toHaveLength(5);
  await cancel(id);
  expect(await session(id)).toMatchObject({ evaluationsLeft: 0 });
});

test("a batch beyond the rest of the budget is refused as a whole", async () => {
  const { id } = await open({ maxEvaluations: 3 });
  const batch = (count: number) => ({
    evaluations: Array.from({ length: count }, () => ({
      ...{ problem: "double", target: "cpu", code: source() },
      session: id,
    })),
  });
  const [status, detail] = await detailOf(await send("POST", "/api/v1/evaluations/batches", batch(4)));
  expect([status, detail]).toEqual([409, expect.stringContaining("has 3 of its 3 evaluations left, and 4 more are")]);
  const created = await send("POST", "/api/v1/evaluations/batches", batch(3));
  EvaluationBatchCreated.parse(await created.json());
  expect(await session(id)).toMatchObject({ evaluationsLeft: 0 });
  await cancel(id);
});

test("the first failure of the platform within an hour and an expired evaluation use nothing of the budget", async () => {
  const { id } = await open({ maxEvaluations: 2 });
  const code = source();
  await evaluate(id, { code });
  await evaluate(id, { code });
  expect(await session(id)).toMatchObject({ evaluationsLeft: 0 });
  for (let attempt = 0; attempt < 3; attempt += 1) await judge(JUDGE_FAILED);
  expect(await session(id)).toMatchObject({ evaluationsLeft: 2 });
  const waiting = Evaluation.parse(await (await evaluate(id, { deadlineSeconds: 1 })).json());
  expect(waiting.session).toMatchObject({ evaluationsLeft: 1 });
  await server.database.sql`update evaluation set deadline_at = created_at where id = ${waiting.id}`;
  await expireEvaluations(server.database);
  expect(await session(id)).toMatchObject({ evaluationsLeft: 2 });
  const unjudged = async (): Promise<void> => {
    await evaluate(id);
    for (let attempt = 0; attempt < 3; attempt += 1) await judge(JUDGE_FAILED);
  };
  await unjudged();
  expect(await session(id)).toMatchObject({ evaluationsLeft: 1 });
  await server.database
    .sql`update evaluation set created_at = created_at - interval '61 minutes' where session_id = ${id}`;
  await unjudged();
  expect(await session(id)).toMatchObject({ evaluationsLeft: 1 });
});

test("a session ends by its time or by its owner, and then accepts neither evaluations nor notes", async () => {
  const timed = await open({ maxSeconds: 1 });
  await server.database.sql`update evaluation_session set ends_at = created_at where id = ${timed.id}`;
  const ended = await open();
  const response = EvaluationSession.parse(await (await send("DELETE", `${path}/${ended.id}`)).json());
  expect(response).toMatchObject({ secondsLeft: 0, evaluationsLeft: 5 });
  expect(await (await send("DELETE", `${path}/${ended.id}`)).json()).toEqual(response);
  for (const { id } of [timed, ended]) {
    const [status, detail] = await detailOf(await evaluate(id));
    expect([status, detail]).toEqual([
      409,
      expect.stringMatching(`^evaluation session ${id} ended at .*Z; open another`),
    ]);
    expect((await send("POST", `${path}/${id}/notes`, { text: "late" })).status).toBe(409);
  }
});

test("a session is for one problem, one target and one account", async () => {
  const { id } = await open();
  const refused = [422, `evaluation session ${id} is for double on cpu`];
  expect(await detailOf(await evaluate(id, { problem: "triple" }))).toEqual(refused);
  expect(await detailOf(await evaluate(id, { target: "H100" }))).toEqual(refused);
  const other = await server.token("another-agent");
  expect(await detailOf(await evaluate(id, {}, { by: other }))).toEqual([404, `evaluation session ${id} not found`]);
  expect((await send("POST", `${path}/${id}/notes`, { text: "mine" }, { by: other })).status).toBe(404);
  expect((await send("GET", `${path}/${id}/transcript`, undefined, { by: other })).status).toBe(404);
  const administrator = await server.token("root", ["read", "admin"]);
  expect((await send("GET", `${path}/${id}/transcript`, undefined, { by: administrator })).status).toBe(200);
});

test.each([
  [{ problem: "nothing" }, 404, 'board "nothing" not found'],
  [{ target: "MI300" }, 422, 'the problem double has no target "MI300"; it has cpu, H100'],
  [{ maxEvaluations: 501 }, 422, "maxEvaluations: "],
  [{ maxSeconds: 7 * 24 * 3600 + 1 }, 422, "maxSeconds: "],
])("%o opens no session", async (change, status, detail) => {
  const [got, text] = await detailOf(await send("POST", path, { ...budget, ...change }));
  expect([got, text]).toEqual([status, expect.stringContaining(detail)]);
});

test("requests that are repeated under one key open one session, use the budget once and add one note", async () => {
  const opened = await Promise.all([1, 2].map(() => send("POST", path, budget, { key: "k" })));
  const [first, second] = await Promise.all(opened.map(async (each) => EvaluationSession.parse(await each.json())));
  const id = first?.id ?? 0;
  expect(second?.id).toBe(id);
  expect(await detailOf(await send("POST", path, { ...budget, maxEvaluations: 6 }, { key: "k" }))).toEqual([
    409,
    `the idempotency key "k" was already used for a different request: evaluation session ${id}`,
  ]);
  const code = source();
  for (let n = 0; n < 2; n += 1) await evaluate(id, { code }, { key: "k" });
  for (let n = 0; n < 2; n += 1) await send("POST", `${path}/${id}/notes`, { text: "tile of 64" }, { key: "k" });
  expect((await send("POST", `${path}/${id}/notes`, { text: "other" }, { key: "k" })).status).toBe(409);
  expect((await transcript(id)).steps.map(({ kind }) => kind)).toEqual(["evaluation", "note"]);
  expect(await session(id)).toMatchObject({ evaluationsLeft: 4 });
  await judge();
});

test("the transcript has evaluations and notes in their order, with code, outcome, feedback and speedup", async () => {
  const { id } = await open();
  const codes = [source(), source()];
  await send("POST", `${path}/${id}/notes`, { text: "  first \u001b[31mred\u001b[0m\u202e\u0000<b>\r\nsecond " });
  await evaluate(id, { code: codes[0], level: "reward" });
  await judge(passing("reward", [250, 250]));
  await send("POST", `${path}/${id}/notes`, { text: "now with vectors" });
  await evaluate(id, { code: codes[1] });
  const got = await transcript(id);
  expect(got).toMatchObject({ session: id, problem: "double", target: "cpu", maxEvaluations: 5, stepsLeftOut: 0 });
  expect(got.steps).toMatchObject([
    { kind: "note", text: "first red<b>\nsecond" },
    {
      ...{ kind: "evaluation", level: "reward", language: "py", state: "done", outcome: "passed", total: 3 },
      speedup: { mid: 4 },
      feedback: expect.stringContaining("faster than the reference") as string,
    },
    { kind: "note", text: "now with vectors" },
    { kind: "evaluation", level: "test", state: "queued", outcome: null, speedup: null, feedback: null },
  ]);
  const hashes = got.steps.flatMap((step) => (step.kind === "evaluation" ? [step.codeHash] : []));
  expect(hashes.map((hash) => got.sources[hash])).toEqual(codes);
  await judge();
});

test("notes are limited in size and number", async () => {
  const { id } = await open();
  for (const text of ["", " \u0000 ", "x".repeat(4001)]) {
    expect((await send("POST", `${path}/${id}/notes`, { text })).status).toBe(422);
  }
  await server.database.sql`insert into evaluation_session_note (session_id, text, idempotency_key)
    select ${id}, 'x', n::text from generate_series(1, ${MAX_NOTES - 1}) as n`;
  const two = await Promise.all([1, 2].map(() => send("POST", `${path}/${id}/notes`, { text: "é".repeat(4000) })));
  expect(two.map(({ status }) => status).toSorted()).toEqual([200, 409]);
});

test("a transcript that would be too large keeps the last sources, and says what is left out", async () => {
  const { id } = await open();
  const large = (n: number) => `# ${n} ${"x".repeat(600_000)}\n`;
  for (const code of [large(1), source(), large(2)]) {
    await evaluate(id, { code });
    await judge();
  }
  const { steps, sources, sourcesLeftOut } = await transcript(id);
  const texts = steps.map((step) => step.kind === "evaluation" && sources[step.codeHash]?.slice(0, 4));
  expect(texts).toEqual([undefined, expect.stringMatching("^x = ") as string, "# 2 "]);
  expect(sourcesLeftOut).toBe(1);
});

async function submission(change: Record<string, unknown> = {}, options: { key?: string } = {}): Promise<Response> {
  return send("POST", "/api/v1/submissions", { ...request({ source: source() }), ...change }, options);
}

test("a submission request attaches the transcript, and its readers are those of the source", async () => {
  const { id } = await open();
  await evaluate(id);
  await judge();
  const body = { source: source(), mode: "ranked", session: id };
  const [first, again] = [await submission(body, { key: "s" }), await submission(body, { key: "s" })];
  const submitted = Submission.parse(await first.json());
  expect(Submission.parse(await again.json()).id).toBe(submitted.id);
  await judge();
  const where = `/api/v1/submissions/${submitted.id}/transcript`;
  expect(Transcript.parse(await (await send("GET", where)).json())).toEqual(await transcript(id));
  const other = await server.token("reader-of-transcripts");
  const read = (what: string) => send("GET", `/api/v1/submissions/${submitted.id}/${what}`, undefined, { by: other });
  expect(await detailOf(await read("transcript"))).toEqual(await detailOf(await read("source")));
  await send("PUT", `/api/v1/submissions/${submitted.id}/licence`, { licence: "MIT" });
  expect([(await read("source")).status, (await read("transcript")).status]).toEqual([200, 200]);
});

test("the author attaches a transcript afterwards, once, and it remains when the session is deleted", async () => {
  const { id } = await open();
  await evaluate(id);
  await judge();
  await send("DELETE", `${path}/${id}`);
  const submitted = Submission.parse(await (await submission()).json());
  await judge();
  const where = `/api/v1/submissions/${submitted.id}/transcript`;
  expect(await detailOf(await send("GET", where))).toEqual([404, `submission ${submitted.id} has no transcript`]);
  const stranger = await server.token("stranger");
  expect((await send("PUT", where, { session: id }, { by: stranger })).status).toBe(404);
  const attached = Transcript.parse(await (await send("PUT", where, { session: id })).json());
  expect(attached.steps).toHaveLength(1);
  const next = await open();
  expect(await detailOf(await send("PUT", where, { session: next.id }))).toEqual([
    409,
    `submission ${submitted.id} has the transcript of evaluation session ${id}; a submission has one transcript`,
  ]);

  await server.database.sql`update evaluation set ended_at = ended_at - interval '9 days' where ended_at is not null`;
  await server.database.sql`update evaluation_session set ends_at = ends_at - interval '9 days' where id = ${id}`;
  const store = await openDirectoryStore(mkdtempSync(`${inject("scratch")}/store-`));
  await deleteOldEvaluations(server.database, store, 7 * 24 * 3_600_000);
  expect((await send("GET", `${path}/${id}`)).status).toBe(404);
  expect((await send("GET", `${path}/${next.id}`)).status).toBe(200);
  expect(await (await send("GET", where)).json()).toEqual(attached);
  expect(await (await send("PUT", where, { session: id })).json()).toEqual(attached);
});

test("an evaluation is kept as long as its session is open, so that the transcript is complete", async () => {
  const { id } = await open();
  await evaluate(id);
  await judge();
  await server.database.sql`update evaluation set ended_at = ended_at - interval '9 days' where session_id = ${id}`;
  const store = await openDirectoryStore(mkdtempSync(`${inject("scratch")}/store-`));
  await deleteOldEvaluations(server.database, store, 7 * 24 * 3_600_000);
  expect((await transcript(id)).steps).toHaveLength(1);
});

test("a session of another account or problem is refused, and nothing is submitted", async () => {
  const { id } = await open();
  const before = await send("GET", "/api/v1/submissions");
  const wrong = await submission({ board: "triple", session: id });
  expect(await detailOf(wrong)).toEqual([422, expect.stringContaining("is for double, and the submission for triple")]);
  const other = await server.token("other-submitter");
  const [status] = await detailOf(
    await send("POST", "/api/v1/submissions", { ...request(), session: id }, { by: other }),
  );
  expect(status).toBe(404);
  expect(await (await send("GET", "/api/v1/submissions")).json()).toEqual(await before.json());
});
