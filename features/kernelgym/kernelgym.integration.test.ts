/** KernelGYM's API: wire transcripts by a strict client; runs are reported as a runner would report them. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import type { JudgeEvent } from "@kernelbot/core";
import { claimed, failing, passing, person as account, reported, runner } from "@kernelbot/testing/fixtures.ts";
import { kernel, suiteUpload, withSuite } from "@kernelbot/testing/kernelbench.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { readProblemVersion } from "@kernelbot/server/src/problems/problems.ts";

let server: TestServer;
let box: Identity;
let token: string;
let reference: string;
let person = 0;

beforeAll(async () => {
  server = await openTestServer();
  box = await runner(server.database);
  await withSuite(server.database, await account(server.database, "root", ["admin"]));
  reference = suiteUpload().problems[0]?.source ?? "";
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  person += 1;
  token = await server.token(`trainer-${person}`);
});

/** The fields that the client reads; unknown ones are errors. */
const Result = z.strictObject({
  task_id: z.string(),
  status: z.enum(["pending", "processing", "completed", "failed", "timeout", "cancelled"]),
  compiled: z.boolean().nullable(),
  correctness: z.boolean().nullable(),
  decoy_kernel: z.boolean(),
  reference_runtime: z.number().nullable(),
  kernel_runtime: z.number().nullable(),
  speedup: z.number().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  error_message: z.string().nullable(),
  error_code: z.string().nullable(),
  submitted_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  processing_time: z.number().nullable(),
});

let kernels = 0;

function task(change: object = {}) {
  kernels += 1;
  return {
    ...{ task_id: `task ${kernels}`, reference_code: reference, kernel_code: kernel(kernels), entry_point: "Model" },
    ...{ backend: "triton", num_correct_trials: 5, timeout: 10, detect_decoy_kernel: true },
    ...change,
  };
}

function post(path: string, body: unknown, by: string | null = token) {
  const headers = { "content-type": "application/json" };
  return server.ask(`/kernelgym${path}`, by ?? undefined, { method: "POST", headers, body: JSON.stringify(body) });
}

async function get(path: string, by = token): Promise<[number, unknown]> {
  const response = await server.ask(`/kernelgym${path}`, by);
  return [response.status, await response.json()];
}

/** Claims the next run, once there is one, and reports these events. */
async function judge(events: (mode: "ranked") => JudgeEvent[] = (mode) => passing(mode, [250])): Promise<void> {
  const queued = () => server.database.db.selectFrom("run").select("id").where("state", "=", "queued").execute();
  await expect.poll(queued).not.toEqual([]);
  const run = await claimed(server.database, box, "cpu");
  await reported(server.database, box, run, events(run.mode as "ranked"));
}

const INFRA_ERROR: JudgeEvent = {
  ...{ type: "verdict", verdict: "infra_error", failureClass: null, message: "box-3 is broken", detail: null },
};

test("a correct kernel is completed with the lower end of its speedup", async () => {
  const request = task();
  const waiting = post("/evaluate", request);
  await judge((mode) => passing(mode, [250]));
  const result = Result.parse(await (await waiting).json());
  expect(result).toMatchObject({
    ...{ task_id: request.task_id, status: "completed", compiled: true, correctness: true, decoy_kernel: false },
    ...{ error_code: null, error_message: null },
  });
  const { low } = result.metadata.speedup as { low: number };
  expect(result.speedup).toBe(low);
  for (const path of ["status", "results", "workflow/results"]) {
    expect(await get(`/${path}/${encodeURIComponent(request.task_id)}`)).toEqual([200, result]);
  }
});

test.each([
  ["compile_error", false, "COMPILATION_ERROR"],
  ["wrong_result", true, "CORRECTNESS_ERROR"],
  ["crash", true, "RUNTIME_ERROR"],
  ["timeout", true, "TIMEOUT_ERROR"],
] as const)("%s is completed and incorrect, with the client's code", async (failure, compiled, code) => {
  const waiting = post("/evaluate", task());
  await judge(() => failing(failure));
  expect(Result.parse(await (await waiting).json())).toMatchObject({
    ...{ status: "completed", compiled, correctness: false, speedup: null, error_code: code },
  });
});

test("a platform failure is 503, never a completed result, and the same task is judged again", async () => {
  const request = task();
  const waiting = post("/evaluate", request);
  for (let attempt = 0; attempt < 3; attempt += 1) await judge(() => [INFRA_ERROR]);
  const response = await waiting;
  expect([response.status, response.headers.get("x-error-code")]).toEqual([503, "SYSTEM_ERROR"]);
  expect(await response.json()).toMatchObject({
    detail: expect.stringMatching(/^task failed: .+; repeat the request$/) as string,
  });
  expect(response.headers.get("retry-after")).toBe("5");
  const [, failed] = await get(`/results/${encodeURIComponent(request.task_id)}`);
  expect(Result.parse(failed)).toMatchObject({ status: "failed", compiled: null, error_code: "SYSTEM_ERROR" });
  const again = post("/evaluate", request);
  await judge();
  expect(Result.parse(await (await again).json())).toMatchObject({ status: "completed", correctness: true });
});

test("a repeated task has the first result; the same id with other code is refused with 409", async () => {
  const request = task();
  const first = post("/evaluate", request);
  await judge();
  const result: unknown = await (await first).json();
  expect(await (await post("/evaluate", request)).json()).toEqual(result);
  const other = await post("/evaluate", { ...request, kernel_code: kernel(999) });
  expect([other.status, other.headers.get("x-error-code")]).toEqual([409, "VALIDATION_ERROR"]);
});

test("the tasks of a batch are judged at once, and one that is refused does not fail the others", async () => {
  const tasks = [task(), task(), task({ reference_code: "class Model: pass" })];
  const waiting = post("/evaluate/batch", { batch_id: "b", tasks });
  const queued = () => server.database.db.selectFrom("run").select("id").where("state", "=", "queued").execute();
  await expect.poll(queued).toHaveLength(2);
  await judge();
  await judge(() => failing("crash"));
  const batch = (await (await waiting).json()) as { batch_status: string; results: { status: string }[] };
  expect(batch).toMatchObject({ batch_id: "b", batch_status: "completed" });
  expect(batch.results.map(({ status }) => status)).toEqual(["completed", "completed", "failed"]);
});

test("a workflow is submitted without waiting, and its result is read later", async () => {
  const payload = task();
  const submitted = Result.parse(await (await post("/workflow/submit", { workflow: "kernelbench", payload })).json());
  expect(submitted).toMatchObject({ task_id: payload.task_id, status: "pending", compiled: null });
  await judge();
  const [, result] = await get(`/workflow/results/${encodeURIComponent(payload.task_id)}`);
  expect(Result.parse(result)).toMatchObject({ status: "completed", correctness: true });
});

test("a task that waits is cancelled; one that has ended stays as it is", async () => {
  const request = task();
  await post("/workflow/submit", { workflow: "kernelbench", payload: request });
  const path = `/kernelgym/tasks/${encodeURIComponent(request.task_id)}`;
  for (let repetition = 0; repetition < 2; repetition += 1) {
    const cancelled = await server.ask(path, token, { method: "DELETE" });
    expect(Result.parse(await cancelled.json())).toMatchObject({ task_id: request.task_id, status: "cancelled" });
  }
  expect((await server.ask("/kernelgym/tasks/nothing", token, { method: "DELETE" })).status).toBe(404);
  expect((await server.ask(path, await server.token("another"), { method: "DELETE" })).status).toBe(404);
});

test("another account neither reads a task nor shares its id", async () => {
  const request = task();
  await post("/workflow/submit", { payload: request });
  const other = await server.token("another-trainer");
  expect((await get(`/results/${encodeURIComponent(request.task_id)}`, other))[0]).toBe(404);
  const own = post("/evaluate", { ...request, kernel_code: kernel(1234) }, other);
  await judge();
  await judge();
  expect((await own).status).toBe(200);
});

test.each([
  [{ reference_code: "class Model: pass" }, "not a problem of an installed suite"],
  [{ task_id: "" }, "task_id"],
  [{ kernel_code: "x" }, "kernel_code"],
  [{ timeout: 5 }, "timeout"],
  [{ entry_point: "Net" }, "entry_point"],
] as const)("%j is refused with 400 VALIDATION_ERROR", async (change, text) => {
  const response = await post("/evaluate", task(change));
  expect([response.status, response.headers.get("x-error-code")]).toEqual([400, "VALIDATION_ERROR"]);
  expect(await response.json()).toMatchObject({ detail: expect.stringContaining(text) as string });
});

test("a reference that is in no suite is judged for an organiser, and then for every token of the account", async () => {
  const organiser = await server.token("olga", ["submit", "read", "admin"], [], ["organiser"]);
  const change = { reference_code: reference.replace("relu", "tanh"), device_preference: "cuda:0" };
  const waiting = post("/evaluate", task(change), organiser);
  const queued = () => server.database.db.selectFrom("run").select("id").where("state", "=", "queued").execute();
  await expect.poll(queued).not.toEqual([]);
  const run = await claimed(server.database, box);
  const problem = await readProblemVersion(server.database, run.problemVersion);
  expect(problem?.files["model.py"]).toBe(change.reference_code);
  await reported(server.database, box, run, passing("reward", [250]));
  expect(Result.parse(await (await waiting).json())).toMatchObject({ status: "completed", correctness: true });

  const trainer = await server.token("olga", ["submit", "read"], [], ["organiser"]);
  const next = task(change);
  expect((await post("/workflow/submit", { payload: next }, trainer)).status).toBe(200);
  expect((await post("/evaluate", task(change))).status).toBe(400);
  await reported(server.database, box, await claimed(server.database, box), passing("reward", [250]));
});

test("without a token, requests are refused; health is public", async () => {
  expect((await post("/evaluate", task(), null)).status).toBe(401);
  const health = await server.ask("/kernelgym/health");
  expect([health.status, await health.json()]).toEqual([200, { status: "healthy" }]);
});
