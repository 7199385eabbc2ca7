/** OpenEnv environments: wire transcripts by a strict client; runs are reported as a runner would report them. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { Evaluation, type JudgeEvent } from "@kernelbot/core";
import { claimed, failing, passing, reported, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { hashOf } from "@kernelbot/server/src/auth/secret.ts";

let server: TestServer;
let box: Identity;
let token: string;
let person = 0;

beforeAll(async () => {
  server = await openTestServer({ listening: true, options: { openenvSessions: 3 } });
  box = await runner(server.database);
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  person += 1;
  token = await server.token(`trainer-${person}`);
});

/** The fields that clients of this protocol read; unknown ones are errors. */
const Observation = z.strictObject({
  problem_id: z.string(),
  problem_description: z.string(),
  gpu_info: z.string(),
  turn: z.int(),
  max_turns: z.int(),
  feedback: z.string(),
  compilation_success: z.boolean(),
  correctness_pass: z.boolean().nullable(),
  outcome: z.string().nullable(),
  passed: z.int(),
  total: z.int(),
  speedup: z.number().nullable(),
  speedup_low: z.number().nullable(),
  speedup_high: z.number().nullable(),
  evaluation_id: z.int().nullable(),
  ticket: z.string().nullable(),
});
const Result = z.strictObject({ observation: Observation, reward: z.number().nullable(), done: z.boolean() });
const Message = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("observation"), data: Result }),
  z.strictObject({
    type: z.literal("state"),
    data: z.looseObject({ episode_id: z.string().nullable(), step_count: z.int() }),
  }),
  z.strictObject({ type: z.literal("mcp"), data: z.looseObject({ jsonrpc: z.literal("2.0") }) }),
  z.strictObject({ type: z.literal("error"), data: z.looseObject({ message: z.string(), code: z.string() }) }),
]);
type Message = z.infer<typeof Message>;

/** A client that has one message under way, as OpenEnv's. */
class Client implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #received: Message[] = [];
  #wake = (): void => undefined;
  readonly closed: Promise<number>;

  constructor(query = "", problem = "double") {
    this.#socket = new WebSocket(`${server.url.replace("http", "ws")}/openenv/${problem}/ws${query}`);
    this.#socket.onmessage = ({ data }) => {
      this.#received.push(Message.parse(JSON.parse(String(data))));
      this.#wake();
    };
    this.closed = new Promise((resolve) => {
      this.#socket.onclose = ({ code }) => resolve(code);
    });
  }

  async opened(): Promise<this> {
    if (this.#socket.readyState === WebSocket.CONNECTING) {
      await new Promise<void>((resolve, reject) => {
        this.#socket.onopen = () => resolve();
        this.#socket.onerror = () => reject(new Error("the connection was refused"));
      });
    }
    return this;
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  async receive(): Promise<Message> {
    while (this.#received.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#received.shift() as Message;
  }

  async ask(message: unknown): Promise<Message> {
    await this.opened();
    this.sendText(typeof message === "string" ? message : JSON.stringify(message));
    return this.receive();
  }

  async result(message: unknown): Promise<z.infer<typeof Result>> {
    const response = await this.ask(message);
    if (response.type !== "observation") throw new Error(JSON.stringify(response));
    return response.data;
  }

  reset(data: object = {}): Promise<z.infer<typeof Result>> {
    return this.result({ type: "reset", data: { token, level: "test", ...data } });
  }

  async error(message: unknown): Promise<[string, string]> {
    const response = await this.ask(message);
    if (response.type !== "error") throw new Error(JSON.stringify(response));
    return [response.data.code, response.data.message];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await this.closed;
  }
}

let sources = 0;

function step(): { type: "step"; data: { code: string } } {
  sources += 1;
  return { type: "step", data: { code: `x = ${sources}\n` } };
}

/** Claims the next run, once there is one, and reports these events. */
async function judge(events: (mode: "test" | "reward") => JudgeEvent[] = (mode) => passing(mode)): Promise<void> {
  await expect
    .poll(() => server.database.db.selectFrom("run").select("id").where("state", "=", "queued").execute())
    .not.toEqual([]);
  const run = await claimed(server.database, box, "cpu");
  await reported(server.database, box, run, events(run.mode as "test"));
}

const INFRA_ERROR: JudgeEvent = {
  ...{ type: "verdict", verdict: "infra_error", failureClass: null, message: "box-3 is broken", detail: null },
};

test("an episode: reset describes the task, a step has the reward next to the observation, state counts it", async () => {
  await using client = new Client();
  const first = await client.reset({ seed: 7, episode_id: "e1" });
  expect(first).toMatchObject({
    ...{ reward: null, done: false },
    observation: {
      problem_id: "double",
      gpu_info: "cpu",
      turn: 0,
      outcome: null,
      compilation_success: false,
      ticket: null,
    },
  });
  expect(first.observation.problem_description).toContain("Doubles a vector.");
  expect(await client.ask({ type: "state" })).toEqual({ type: "state", data: { episode_id: "e1", step_count: 0 } });
  const waiting = client.result(step());
  await judge();
  expect(await waiting).toMatchObject({
    ...{ reward: 0.3, done: true },
    observation: { turn: 1, outcome: "passed", compilation_success: true, correctness_pass: true },
  });
  expect(await client.ask({ type: "state" })).toMatchObject({ data: { episode_id: "e1", step_count: 1 } });
  expect(await client.error(step())).toEqual([
    "EXECUTION_ERROR",
    "the episode has ended after 1 of 1 kernels; send reset",
  ]);
  expect((await client.reset()).observation.turn).toBe(0);
});

test("an episode of several kernels is done after the last, and a timed one reports its interval", async () => {
  await using client = new Client();
  await client.reset({ max_turns: 2, level: "reward", rule: "thresholds@1:0=0.1,2=0.9" });
  const wrong = client.result(step());
  await judge(() => failing("compile_error", "invalid syntax"));
  expect(await wrong).toMatchObject({
    ...{ reward: 0, done: false },
    observation: { outcome: "compile_error", compilation_success: false, correctness_pass: false, turn: 1 },
  });
  const right = client.result(step());
  await judge((mode) => passing(mode, [250, 250]));
  const { observation, ...more } = await right;
  expect(more).toEqual({ reward: 0.9, done: true });
  expect(observation.speedup_low).toBeGreaterThan(2);
  expect(observation.feedback).toContain("faster than the reference");
});

test("a platform failure is an error and never a reward of 0; the episode continues", async () => {
  await using client = new Client();
  await client.reset();
  const again = step();
  const waiting = client.error(again);
  for (let attempt = 0; attempt < 3; attempt += 1) await judge(() => [INFRA_ERROR]);
  const [code, message] = await waiting;
  expect(code).toBe("EXECUTION_ERROR");
  expect(message).toContain("the platform failed, not the code");
  expect(message).not.toContain("box-3");
  const repeated = client.result(again);
  await judge();
  expect(await repeated).toMatchObject({ reward: 0.3, done: true });
});

test.each([
  ["{", "INVALID_JSON", "the message is not JSON"],
  ["[]", "UNKNOWN_TYPE", "type: missing"],
  [{ type: "jump" }, "UNKNOWN_TYPE", 'type: "jump"; expected one of reset, step, state, close, mcp'],
  [{ type: "state", data: {} }, "VALIDATION_ERROR", "data"],
  [{ type: "step", data: { action: { code: "x" } } }, "VALIDATION_ERROR", ""],
  [{ type: "step", data: { code: "x = 1", more: 1 } }, "VALIDATION_ERROR", ""],
  [{ type: "step", data: { code: "x = 1", metadata: {} } }, "EXECUTION_ERROR", "send reset first"],
  [{ type: "reset", data: { seeds: 1 } }, "VALIDATION_ERROR", "seeds"],
  [{ type: "reset", data: { seed: -1 } }, "VALIDATION_ERROR", "seed: "],
  [{ type: "reset", data: {} }, "EXECUTION_ERROR", "A token is needed"],
  [{ type: "reset", data: { token: "kb_wrong" } }, "EXECUTION_ERROR", "token"],
] as const)("%j is refused with %s, and the session continues", async (message, code, text) => {
  await using client = new Client();
  const [got, sentence] = await client.error(message);
  expect(got).toBe(code);
  expect(sentence).toContain(text);
  expect(await client.reset()).toMatchObject({ done: false });
});

test("unknown targets, empty code and the problem of another name are errors that name the fault", async () => {
  await using client = new Client();
  expect(await client.error({ type: "reset", data: { token, target: "MI300" } })).toEqual([
    "VALIDATION_ERROR",
    "target: the problem double has only cpu, H100",
  ]);
  await client.reset();
  expect(await client.error({ type: "step", data: { code: " " } })).toEqual(["VALIDATION_ERROR", "the file is empty"]);
  await using other = new Client("", "nothing");
  expect((await other.error({ type: "reset", data: { token } }))[0]).toBe("EXECUTION_ERROR");
});

test("the limit of sessions is a message after the connection is accepted; close frees a session without an answer", async () => {
  const clients = [new Client(), new Client(), new Client()];
  await using late = await new Client().opened();
  await Promise.all(clients.map((client) => client.reset()));
  const full = { type: "error", data: { code: "CAPACITY_REACHED", active_sessions: 3, max_sessions: 3 } };
  const refused = new Client();
  expect(await refused.receive()).toMatchObject(full);
  await refused.closed;
  expect(await late.ask({ type: "reset", data: { token, level: "test" } })).toMatchObject(full);
  clients[0]?.sendText(JSON.stringify({ type: "close" }));
  await clients[0]?.closed;
  await using next = new Client();
  expect(await next.reset()).toMatchObject({ done: false });
  await Promise.all(clients.map((client) => client[Symbol.asyncDispose]()));
});

test("connections without a token take no session of others, and are closed after a few small messages", async () => {
  // More than a network may have.
  const holders = await Promise.all(Array.from({ length: 70 }, () => new Client().opened()));
  await using trainer = new Client(`?token=${token}`);
  expect(await trainer.result({ type: "reset", data: { level: "test" } })).toMatchObject({ done: false });
  const [first, second] = holders as [Client, Client];
  for (let n = 0; n < 16; n += 1) expect(await first.ask({ type: "state" })).toMatchObject({ type: "state" });
  expect(await first.error({ type: "state" })).toEqual([
    "SESSION_ERROR",
    "more than 16 messages without a valid token",
  ]);
  expect(await first.closed).toBe(1008);
  const large = JSON.stringify({ type: "reset", data: { token: "x".repeat(20_000) } });
  expect((await second.error(large))[1]).toBe("a message of more than 16384 characters before a valid token");
  expect(await second.closed).toBe(1008);
  await Promise.all(holders.map((client) => client[Symbol.asyncDispose]()));
});

test("sessions run at once, each with its own episode", async () => {
  await using one = new Client();
  await using two = new Client();
  await Promise.all([one.reset({ episode_id: "1" }), two.reset({ episode_id: "2" })]);
  const results = [one.result(step()), two.result(step())];
  await judge();
  await judge(() => failing("crash"));
  expect((await Promise.all(results)).map(({ reward }) => reward).toSorted()).toEqual([0, 0.3]);
  expect(await two.ask({ type: "state" })).toMatchObject({ data: { episode_id: "2", step_count: 1 } });
});

test("closing the connection cancels the evaluation that it waits for", async () => {
  const client = new Client();
  await client.reset();
  client.sendText(JSON.stringify(step()));
  const queued = () => server.database.db.selectFrom("run").select("id").where("state", "=", "queued").execute();
  await expect.poll(queued).toHaveLength(1);
  await client[Symbol.asyncDispose]();
  await expect.poll(queued).toEqual([]);
});

test("a token in the query identifies a session; a revoked one is refused in it", async () => {
  await using client = new Client(`?token=${token}`);
  expect(await client.result({ type: "reset" })).toMatchObject({ done: false });
  await server.database.db
    .updateTable("token")
    .set({ revoked_at: new Date() })
    .where("hash", "=", hashOf(token))
    .execute();
  await expect.poll(async () => (await client.ask({ type: "reset" })).type).toBe("error");
  expect(server.logged.join("\n")).not.toContain(token);
});

const base = "/openenv/double";
const post = (path: string, body: unknown, by: string | undefined = token) =>
  server.ask(`${base}${path}`, by, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

test("over HTTP, a step without a result in time returns a ticket, which is the next action", async () => {
  expect(Result.parse(await (await post("/reset", {})).json())).toMatchObject({ reward: null, done: false });
  const action = step().data;
  const pending = Result.parse(await (await post("/step", { action, timeout_s: 0, level: "test" })).json());
  expect(pending).toMatchObject({ reward: null, done: false, observation: { outcome: null, turn: 0 } });
  const { ticket, evaluation_id: id } = pending.observation;
  expect(pending.observation.feedback).toContain(`{"ticket": "${ticket}"}`);
  await judge();
  const done = Result.parse(await (await post("/step", { action: { ticket } })).json());
  expect(done).toMatchObject({ reward: 0.3, done: true, observation: { evaluation_id: id, ticket: null } });
  expect((await post("/step", { action: { ticket: String(id) } })).status).toBe(404);
  await using client = new Client();
  await client.reset();
  expect((await client.error({ type: "step", data: { ticket } }))[0]).toBe("VALIDATION_ERROR");
});

test("another account can neither continue with a ticket nor read the evaluation", async () => {
  const pending = Result.parse(
    await (await post("/step", { action: step().data, timeout_s: 0, level: "test" })).json(),
  );
  const { ticket, evaluation_id: id } = pending.observation;
  const other = await server.token("another-trainer");
  const body = JSON.stringify({ action: { ticket } });
  const headers = { "content-type": "application/json" };
  expect((await server.ask(`${base}/step`, other, { method: "POST", headers, body })).status).toBe(404);
  expect((await server.ask(`/api/v1/evaluations/${id}`, other)).status).toBe(404);
  // Nor can a ticket be used for another problem.
  expect((await server.ask("/openenv/triple/step", token, { method: "POST", headers, body })).status).toBe(404);
  await judge();
  expect(Evaluation.parse(await (await server.ask(`/api/v1/evaluations/${id}`, token)).json()).reward).toBe(0.3);
});

test("over HTTP, faults have a status and a platform failure is 503, not a reward of 0", async () => {
  expect((await post("/step", { action: { code: "x", more: 1 } })).status).toBe(422);
  expect((await post("/step", {})).status).toBe(422);
  const noToken = await server.ask(`${base}/reset`, undefined, {
    ...{ method: "POST", headers: { "content-type": "application/json" }, body: "{}" },
  });
  expect(noToken.status).toBe(401);
  const inBody = await post("/reset", { token }, undefined);
  expect(inBody.status).toBe(200);
  // OpenEnv's client refuses a URL with a user name and no password.
  for (const userInfo of [`${token}:`, `token:${token}`]) {
    const inUrl = await server.ask(`${base}/reset`, undefined, {
      ...{ method: "POST", body: "{}" },
      headers: { "content-type": "application/json", authorization: `Basic ${btoa(userInfo)}` },
    });
    expect(inUrl.status).toBe(200);
  }
  const waiting = post("/step", { action: step().data, level: "test" });
  for (let attempt = 0; attempt < 3; attempt += 1) await judge(() => [INFRA_ERROR]);
  expect((await waiting).status).toBe(503);
});

test("the probes of openenv validate --url pass", async () => {
  const json = async (path: string) => (await server.ask(`${base}${path}`)).json() as Promise<Record<string, unknown>>;
  const { info, paths } = (await json("/openapi.json")) as { info: { version: string }; paths: object };
  expect(info.version).toMatch(/^1\./);
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(["/reset", "/step", "/state"]));
  expect(await json("/health")).toEqual({ status: "healthy" });
  expect(await json("/metadata")).toMatchObject({ name: "double", description: "Doubles a vector." });
  const schemas = (await json("/schema")) as Record<"action" | "observation" | "state", { properties: object }>;
  expect(schemas.action).toMatchObject({ type: "object", required: ["code"], additionalProperties: false });
  expect(Object.keys(schemas.observation.properties)).toEqual(Object.keys(Observation.shape));
  expect(await json("/state")).toEqual({ episode_id: null, step_count: 0 });
  const mcp = await post("/mcp", {}, undefined);
  expect([mcp.status, await mcp.json()]).toMatchObject([200, { jsonrpc: "2.0", id: null }]);
  expect(await (await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" })).json()).toEqual({
    ...{ jsonrpc: "2.0", id: 1, result: { tools: [] } },
  });
  expect(await (await server.ask(`${base}/openenv.yaml`)).text()).toContain("spec_version: 1\nname: double\n");
  expect((await server.ask("/openenv/nothing/health")).status).toBe(404);
  expect((await server.ask(`${base}/ws`)).status).toBe(400);
});

test("the server closes its sessions when it stops", async () => {
  await using stopping = await openTestServer({ listening: true });
  const socket = new WebSocket(`${stopping.url.replace("http", "ws")}/openenv/double/ws`);
  await new Promise((resolve) => (socket.onopen = resolve));
  const closed = new Promise<number>((resolve) => (socket.onclose = ({ code }) => resolve(code)));
  const startedAt = performance.now();
  await stopping.stop();
  expect(await closed).toBe(1001);
  expect(performance.now() - startedAt).toBeLessThan(2000);
});
