/** The evaluations API, from a request to its result; runs are reported as a runner would report them. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  Claimed,
  Evaluation,
  EvaluationBatch,
  EvaluationBatchCreated,
  NumberedEvaluation,
  type ApiError,
  type EvaluationRequest,
  type JudgeEvent,
  type Machine,
} from "@kernelbot/core";
import type { Identity } from "../../auth/identity.ts";
import {
  applicationProblemFiles,
  claimed,
  failing,
  inApplication,
  MACHINE,
  passing,
  problemTree,
  reported,
  runner,
} from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { syncProblems } from "../../problems/sync.ts";
import { expireEvaluations } from "../end.ts";
import { DEFAULT_EVALUATION_LIMITS } from "../limits.ts";

let server: TestServer;
let box: Identity;
let person = 0;
let token: string;

beforeAll(async () => {
  server = await openTestServer();
  box = await runner(server.database);
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  person += 1;
  token = await server.token(`trainer-${person}`);
});

const path = "/api/v1/evaluations";
let sources = 0;

/** Returns a request for a source that no other test has. */
function request(change: Partial<EvaluationRequest> = {}): Partial<EvaluationRequest> {
  sources += 1;
  return { problem: "double", target: "cpu", code: `x = ${sources}\n`, level: "test", ...change };
}

function post(where: string, body: unknown, { by = token, key }: { by?: string; key?: string } = {}) {
  return server.ask(where, by, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key !== undefined && { "idempotency-key": key }) },
    body: JSON.stringify(body),
  });
}

async function create(change: Partial<EvaluationRequest> = {}, options: { by?: string; key?: string } = {}) {
  const response = await post(path, request(change), options);
  return Evaluation.parse(await response.json());
}

async function get(id: number, query = ""): Promise<Evaluation> {
  return Evaluation.parse(await (await server.ask(`${path}/${id}${query}`, token)).json());
}

async function detailOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as ApiError).detail];
}

/** Claims the next run and reports these events. */
async function judge(
  events: (mode: "compile" | "test" | "reward") => JudgeEvent[],
  machine: Machine = MACHINE,
): Promise<void> {
  const run = await claimed(server.database, box, "cpu", { machine });
  await reported(server.database, box, run, events(run.mode as "test"));
}

test("an evaluation at level test is queued, judged and rewarded without a timing", async () => {
  const response = await post(path, request({ tags: { group: "7" } }));
  expect(response.status).toBe(202);
  const queued = Evaluation.parse(await response.json());
  expect(response.headers.get("location")).toBe(`${path}/${queued.id}`);
  expect(queued).toMatchObject({ state: "queued", outcome: null, reward: null, cached: false, tags: { group: "7" } });
  const waiting = get(queued.id, "?wait=20");
  await judge((mode) => passing(mode).filter((event) => event.type !== "case_finished" || event.index === 0));
  expect(await waiting).toMatchObject({
    ...{ state: "done", outcome: "passed", passed: 1, total: 1, speedup: null, reward: 0.3, rule: "log-gain@1" },
    feedback: "passed, 1 of 1 cases passed",
    versions: { problem: expect.stringMatching(/^[0-9a-f]{64}$/) as string, machine: expect.any(String) as string },
  });
});

test("an evaluation at level reward is timed, and its reward follows from the stored speedup", async () => {
  const { id } = await create({ level: "reward", rule: "thresholds@1:0=0.1,2=0.9" });
  await judge((mode) => passing(mode, [250, 250]));
  const done = await get(id);
  expect(done).toMatchObject({ state: "done", outcome: "passed", total: 3, reward: 0.9 });
  expect(done.speedup?.low).toBeGreaterThan(2);
  expect(done.feedback).toContain("faster than the reference");
});

test("a queued evaluation says that no runner is connected", async () => {
  const { id } = await create();
  expect((await get(id)).queueReason).toMatch(/^no runner for cpu is connected; /);
  await judge((mode) => passing(mode));
  expect((await get(id)).queueReason).toBeNull();
});

test("level compile passes without cases", async () => {
  const { id } = await create({ level: "compile", rule: "pass@1" });
  await judge((mode) => passing(mode));
  expect(await get(id)).toMatchObject({ outcome: "passed", passed: 0, total: 0, reward: 1 });
});

test("level application is rewarded by the speedup in use, and by the share of cases that hold", async () => {
  await syncProblems(server.database, problemTree({ "set/used": applicationProblemFiles() }));
  const request = { problem: "used", level: "application" } as const;
  const works = await create(request);
  await judge(() => inApplication());
  expect(await get(works.id)).toMatchObject({
    ...{ outcome: "passed", passed: 2, total: 2, speedup: { low: 1.4, mid: 1.5, high: 1.6 } },
    feedback: expect.stringContaining("2 of 2 cases passed in the problem's application; 1.50x") as string,
  });
  expect((await get(works.id)).reward).toBeCloseTo(0.3 + (0.7 * Math.log(1.4)) / Math.log(4), 9);
  const fails = await create(request);
  await judge(() => inApplication({ state: "not_validated", held: 1, reason: "case 2: unstable" }));
  expect(await get(fails.id)).toMatchObject({
    outcome: "wrong_result",
    passed: 1,
    total: 2,
    speedup: null,
    reward: 0.05,
  });
  expect(
    await detailOf(await post(path, { problem: "double", target: "cpu", code: "x\n", level: "application" })),
  ).toEqual([422, expect.stringMatching(/^double has no application/)]);
});

test("a failure has its class, a reward of 0 and feedback without paths", async () => {
  const { id } = await create();
  await judge(() => failing("compile_error", 'File "/srv/box/submission.py": invalid syntax'));
  const done = await get(id);
  expect(done).toMatchObject({ outcome: "compile_error", reward: 0 });
  expect(done.feedback).toBe('failed: compile error, 0 of 1 cases passed\nFile "submission.py": invalid syntax');
});

test("a time that the hardware cannot reach has no reward and is not shown to moderators", async () => {
  const { id } = await create({ level: "reward" });
  const measured = { memoryBytesPerS: 5e9, operationsPerS: 1e9 };
  await judge(
    (mode) =>
      passing(mode).map((event) =>
        event.type === "case_finished" ? { ...event, bytes: 30_000, outputBytes: 10_000 } : event,
      ),
    {
      ...MACHINE,
      cpu: { ...MACHINE.cpu, measured },
    },
  );
  expect(await get(id)).toMatchObject({ state: "done", outcome: "quarantined", reward: null, speedup: null });
  expect(await server.database.db.selectFrom("flag").select("run_id").execute()).toEqual([]);
});

test("a result of a runner without a sandbox is marked", async () => {
  const { id } = await create();
  await judge((mode) => passing(mode), { ...MACHINE, sandbox: "none" });
  expect(await get(id)).toMatchObject({ reward: 0.3, unsandboxed: true, legacyHarness: false });
});

test("after an infrastructure error the reward is null, not 0, and the answer is not cached", async () => {
  const body = request();
  const { id } = Evaluation.parse(await (await post(path, body)).json());
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await judge(() => [
      { type: "verdict", verdict: "infra_error", failureClass: null, message: "host box-3 is broken", detail: null },
    ]);
  }
  const done = await get(id);
  expect(done).toMatchObject({ state: "done", outcome: "infra_error", reward: null });
  expect(done.feedback).not.toContain("box-3");
  expect(Evaluation.parse(await (await post(path, body)).json())).toMatchObject({ state: "queued", cached: false });
  await judge((mode) => passing(mode));
});

test("equal code shares one run while it is queued and its result later, unless it is to be judged afresh", async () => {
  const body = request({ rule: "step@1" });
  const first = Evaluation.parse(await (await post(path, body)).json());
  const second = Evaluation.parse(await (await post(path, { ...body, rule: "pass@1" })).json());
  expect(second).toMatchObject({ state: "queued", cached: true });
  await judge((mode) => passing(mode));
  expect(await get(first.id)).toMatchObject({ state: "done", reward: 0.5 });
  expect(await get(second.id)).toMatchObject({ state: "done", reward: 1 });
  const third = await post(path, body);
  expect(third.status).toBe(200);
  expect(Evaluation.parse(await third.json())).toMatchObject({ state: "done", cached: true, queueMs: 0, reward: 0.5 });
  for (const other of [{ fresh: true }, { level: "compile" }, { target: "H100" }, { problem: "triple" }] as const) {
    const evaluation = Evaluation.parse(await (await post(path, { ...body, ...other })).json());
    expect(evaluation).toMatchObject({ state: "queued", cached: false });
    await server.ask(`${path}/${evaluation.id}`, token, { method: "DELETE" });
  }
});

test("code of another account is never reused, so that no caller learns what others wrote", async () => {
  const body = request();
  await post(path, body);
  await judge((mode) => passing(mode));
  const other = await server.token("another-trainer");
  expect(Evaluation.parse(await (await post(path, body, { by: other })).json())).toMatchObject({ cached: false });
  await judge((mode) => passing(mode));
});

test("repeating a request under one key is one evaluation, and another request under it is refused", async () => {
  const body = request();
  const send = async () => Evaluation.parse(await (await post(path, body, { key: "k" })).json());
  const [one, two] = await Promise.all([send(), send()]);
  expect(two.id).toBe(one.id);
  expect(await detailOf(await post(path, request(), { key: "k" }))).toEqual([
    409,
    `the idempotency key "k" was already used for a different request: evaluation ${one.id}`,
  ]);
  await judge((mode) => passing(mode));
});

test.each([
  [{ problem: "nothing" }, 404, 'board "nothing" not found'],
  [{ target: "MI300" }, 422, 'the problem double has no target "MI300"; it has cpu, H100'],
  [{ language: "cpp" }, 422, "double takes .py files on cpu"],
  [{ code: " " }, 422, "the file is empty"],
  [{ rule: "log-gain@9" }, 422, 'rule: unknown reward rule "log-gain@9"'],
  [{ level: "all" as "test" }, 422, "level: "],
  [{ deadlineSeconds: 0 }, 422, "deadlineSeconds: "],
  [{ tags: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`t${n}`, ""])) }, 422, "tags: use at most 16 tags"],
] as const)("%o is refused and stores nothing", async (change, status, message) => {
  const before = await rows();
  const [got, detail] = await detailOf(await post(path, request(change)));
  expect(got).toBe(status);
  expect(detail).toContain(message);
  expect(await rows()).toEqual(before);
});

async function rows(): Promise<unknown> {
  const count = (table: "evaluation" | "submission" | "run" | "code" | "evaluation_batch") =>
    server.database.db
      .selectFrom(table)
      .select((build) => build.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
  return Promise.all((["evaluation", "submission", "run", "code", "evaluation_batch"] as const).map(count));
}

test("tokens without the scope, and callers without a token, are refused", async () => {
  const reader = await server.token("reader", ["read"]);
  expect((await post(path, request(), { by: reader })).status).toBe(403);
  expect((await server.ask(path, undefined, { method: "POST", body: "{}" })).status).toBe(401);
  expect((await server.ask(`${path}/1?wait=26`, token)).status).toBe(422);
  expect((await server.ask(`${path}/1?wait=1&x=1`, token)).status).toBe(422);
});

test("cancelling ends an evaluation without a reward, and its run unless another evaluation shares it", async () => {
  const body = request();
  const first = Evaluation.parse(await (await post(path, body)).json());
  const second = Evaluation.parse(await (await post(path, body)).json());
  const cancelled = await server.ask(`${path}/${first.id}`, token, { method: "DELETE" });
  expect(Evaluation.parse(await cancelled.json())).toMatchObject({ state: "cancelled", outcome: null, reward: null });
  await judge((mode) => passing(mode));
  expect(await get(second.id)).toMatchObject({ state: "done", reward: 0.3 });
  const third = await create();
  await server.ask(`${path}/${third.id}`, token, { method: "DELETE" });
  await expect(claimed(server.database, box)).rejects.toThrow("no run is queued");
  const again = await server.ask(`${path}/${second.id}`, token, { method: "DELETE" });
  expect(Evaluation.parse(await again.json())).toMatchObject({ state: "done", reward: 0.3 });
});

test("an evaluation that is queued past its deadline expires without a reward; one that is running is judged", async () => {
  const running = await create({ deadlineSeconds: 1 });
  const run = await claimed(server.database, box);
  const queued = await create({ deadlineSeconds: 1 });
  const patient = await create();
  await server.database.db
    .updateTable("evaluation")
    .set({ deadline_at: new Date(Date.now() - 1000) })
    .where("id", "in", [running.id, queued.id])
    .execute();
  await expireEvaluations(server.database);
  expect(await get(queued.id)).toMatchObject({ state: "expired", outcome: null, reward: null });
  expect(await get(patient.id)).toMatchObject({ state: "queued" });
  await reported(server.database, box, run, passing("test"));
  expect(await get(running.id)).toMatchObject({ state: "done", reward: 0.3 });
  await judge((mode) => passing(mode));
});

test("a batch answers with its ids at once and lists its results in the order in which they end", async () => {
  const bodies = Array.from({ length: 5 }, () => request());
  const response = await post(`${path}/batches`, { evaluations: [...bodies, bodies[0]] }, { key: "batch" });
  expect(response.status).toBe(202);
  const batch = EvaluationBatchCreated.parse(await response.json());
  expect(response.headers.get("location")).toBe(`${path}/batches/${batch.id}`);
  expect(batch.evaluations).toHaveLength(6);
  const repeated = await post(`${path}/batches`, { evaluations: [...bodies, bodies[0]] }, { key: "batch" });
  expect(await repeated.json()).toEqual(batch);
  expect((await post(`${path}/batches`, { evaluations: bodies }, { key: "batch" })).status).toBe(409);

  const runs = [await claimed(server.database, box), await claimed(server.database, box)];
  const waiting = server.ask(`${path}/batches/${batch.id}?wait=20`, token);
  await reported(server.database, box, runs[1] as (typeof runs)[0], passing("test"));
  const first = EvaluationBatch.parse(await (await waiting).json());
  expect(first).toMatchObject({ size: 6, ended: 1, results: [{ id: batch.evaluations[1], number: 1 }] });
  await reported(server.database, box, runs[0] as (typeof runs)[0], failing("crash"));
  const next = await server.ask(`${path}/batches/${batch.id}?after=1`, token);
  const { results } = EvaluationBatch.parse(await next.json());
  // The last evaluation has the same code as the first.
  expect(results.map(({ id, number }) => [id, number])).toEqual([
    [batch.evaluations[0], 2],
    [batch.evaluations[5], 3],
  ]);

  const stopped = await server.ask(`${path}/batches/${batch.id}`, token, { method: "DELETE" });
  expect(EvaluationBatch.parse(await stopped.json())).toMatchObject({ size: 6, ended: 6, results: [] });
  const lines = await (
    await server.ask(`${path}/batches/${batch.id}`, token, { headers: { accept: "application/x-ndjson" } })
  ).text();
  const streamed = lines
    .trim()
    .split("\n")
    .map((line) => NumberedEvaluation.parse(JSON.parse(line)));
  expect(streamed.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(streamed.map(({ state }) => state)).toEqual(["done", "done", "done", "cancelled", "cancelled", "cancelled"]);
});

test("a stream of a batch sends each result as soon as it is known, and ends with the last", async () => {
  const created = await post(`${path}/batches`, { evaluations: [request(), request()] });
  const { id } = EvaluationBatchCreated.parse(await created.json());
  const response = await server.ask(`${path}/batches/${id}`, token, { headers: { accept: "application/x-ndjson" } });
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (const number of [1, 2]) {
    const line = reader.read();
    await judge((mode) => passing(mode));
    expect(NumberedEvaluation.parse(JSON.parse(new TextDecoder().decode((await line).value)))).toMatchObject({
      number,
      state: "done",
    });
  }
  expect(await reader.read()).toMatchObject({ done: true });
});

test("a batch with one invalid evaluation is refused as a whole, and its error names it", async () => {
  const before = await rows();
  const response = await post(`${path}/batches`, { evaluations: [request(), request({ target: "MI300" })] });
  const [status, detail] = await detailOf(response);
  expect([status, detail]).toEqual([422, expect.stringMatching(/^evaluations\[1\]: the problem double has no target/)]);
  const many = Array.from({ length: 1001 }, () => request());
  expect((await post(`${path}/batches`, { evaluations: many })).status).toBe(422);
  expect((await post(`${path}/batches`, { evaluations: [] })).status).toBe(422);
  expect(await rows()).toEqual(before);
});

test("a batch of 1,000 is stored at once", async () => {
  const evaluations = Array.from({ length: 1000 }, () => request());
  const created = await post(`${path}/batches`, { evaluations });
  const { id, evaluations: ids } = EvaluationBatchCreated.parse(await created.json());
  expect(new Set(ids).size).toBe(1000);
  const stopped = await server.ask(`${path}/batches/${id}`, token, { method: "DELETE" });
  expect(EvaluationBatch.parse(await stopped.json())).toMatchObject({ size: 1000, ended: 1000 });
});

test.each([
  [{ open: 2 }, /^this account has 2 of at most 2 queued and running evaluations, so 1 evaluation must wait$/, "5"],
  [{ hour: 2 }, /^this account has 2 of at most 2 evaluations within an hour/, "60"],
  [{ queue: 2 }, /^the server's queue of evaluations is full \(at most 2\)/, "15"],
])(
  "the limit %o counts all tokens of an account, and is answered with 429 and when to retry",
  async (limits, message, retryAfter) => {
    await using limited = await openTestServer({ evaluationLimits: { ...DEFAULT_EVALUATION_LIMITS, ...limits } });
    let by = await limited.token("ann");
    const send = (where: string, body: unknown) =>
      limited.ask(where, by, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    expect((await send(`${path}/batches`, { evaluations: [request(), request(), request()] })).status).toBe(429);
    expect((await send(`${path}/batches`, { evaluations: [request(), request()] })).status).toBe(202);
    by = await limited.token("ann");
    const refused = await send(path, request());
    expect(refused.headers.get("retry-after")).toBe(retryAfter);
    expect(await detailOf(refused)).toEqual([429, expect.stringMatching(message)]);
  },
);

test("an account with a hundred tokens and a long queue gets no more of the runners than one with a single token", async () => {
  await using shared = await openTestServer();
  const send = async (where: string, by: string, body: unknown): Promise<unknown> => {
    const headers = { "content-type": "application/json" };
    const response = await shared.ask(where, by, { method: "POST", headers, body: JSON.stringify(body) });
    expect(response.ok).toBe(true);
    return response.json();
  };
  for (let count = 0; count < 100; count += 1) {
    const own = await shared.token("ann");
    await send(`${path}/batches`, own, { evaluations: [request(), request(), request()] });
  }
  const bob = await shared.token("bob");
  await send(`${path}/batches`, bob, { evaluations: [request(), request(), request(), request()] });
  const runners = await shared.token("fleet", ["runner"], ["cpu"]);
  const claims = new Map<string, number>();
  for (let count = 0; count < 8; count += 1) {
    const claim = { target: "cpu", runner: `box-${count}`, machine: MACHINE, waitMs: 0 };
    const { account } = Claimed.parse(await send("/api/v1/runner/claim", runners, claim));
    claims.set(account, (claims.get(account) ?? 0) + 1);
  }
  expect([...claims.values()]).toEqual([4, 4]);
});

test("a running evaluation is reported as running", async () => {
  const { id } = await create();
  const run = await claimed(server.database, box);
  expect(await get(id)).toMatchObject({ state: "running", outcome: null, reward: null });
  await reported(server.database, box, run, passing("test"));
});
