/** The Python client against the real server; runs are reported as a runner would report them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as core from "@kernelbot/core";
import type { JudgeEvent } from "@kernelbot/core";
import { findPython } from "@kernelbot/tester";
import { claimWait, failing, JUDGE_FAILED, MACHINE, passing, reported, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import manifest from "../package.json" with { type: "json" };
import type { Identity } from "../packages/server/src/auth/identity.ts";
import { pythonTypes } from "../scripts/python-types.ts";
import { writeClientWheel } from "../scripts/release/client-wheel.ts";
import { pythonVersion } from "../scripts/release/wheel-file.ts";

const CLIENT = join(import.meta.dirname, "../clients/python");

let python: string;
let server: TestServer;
let box: Identity;
let token: string;

beforeAll(async () => {
  python = (await findPython()).path;
  server = await openTestServer({ listening: true, evaluationLimits: { open: 4, hour: 1000, queue: 1000 } });
  box = await runner(server.database);
  token = await server.token("trainer");
});
afterAll(() => server[Symbol.asyncDispose]());

const PRELUDE = `import asyncio, dataclasses, json, sys
from kernelbot import *

def show(value):
    print(json.dumps(value, default=dataclasses.asdict))
`;

/** Runs a Python program and parses the JSON that it prints. */
async function call(program: string, { url = server.url, path = CLIENT } = {}): Promise<unknown> {
  const env = { PATH: process.env.PATH, PYTHONPATH: path, KERNELBOT_SERVER: url, KERNELBOT_TOKEN: token };
  const child = spawn(python, ["-c", PRELUDE + program], { env });
  const closed = once(child, "close") as Promise<[number]>;
  const [printed, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  if (status !== 0) throw new Error(errors);
  return JSON.parse(printed);
}

/** Waits for the next run and reports these events, or those of its source. Returns the source. */
async function judge(events: JudgeEvent[] | Readonly<Record<string, JudgeEvent[]>>): Promise<string> {
  const run = await claimWait(server.database, box, { target: "cpu", runner: "box", machine: MACHINE, waitMs: 60_000 });
  if (run === null) throw new Error("no run was queued");
  await reported(server.database, box, run, Array.isArray(events) ? events : (events[run.source] ?? []));
  return run.source;
}

interface CuttingProxy extends AsyncDisposable {
  url: string;
  /** Requests in order, such as `POST /api/v1/evaluations`. */
  requests: string[];
}

/** Forwards requests to the server. Breaks the connection instead of returning the first response to a POST. */
async function startCuttingProxy(): Promise<CuttingProxy> {
  const requests: string[] = [];
  const proxy = createServer((incoming, response) => {
    const { method = "", url = "", headers } = incoming;
    const isCut = method === "POST" && !requests.some((each) => each.startsWith("POST"));
    requests.push(`${method} ${url.replace(/\?.*/, "")}`);
    const outgoing = request(server.url + url, { method, headers }, (answer) => {
      if (isCut) {
        answer.resume();
        incoming.socket.destroy();
      } else {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      }
    });
    incoming.pipe(outgoing);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      proxy.close();
      proxy.closeAllConnections();
      await once(proxy, "close");
    },
  };
}

async function evaluationCount(): Promise<number> {
  const { count } = await server.database.db
    .selectFrom("evaluation")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

test("the dataclasses have the fields, types and defaults of the server's schemas", async () => {
  const schemas = {
    ...{ Language: core.Language, EvaluationLevel: core.EvaluationLevel, EvaluationOutcome: core.EvaluationOutcome },
    ...{ EvaluationPriority: core.EvaluationPriority, EvaluationState: core.EvaluationState },
    ...{
      SpeedupInterval: core.SpeedupInterval,
      SessionBudget: core.SessionBudget,
      Evaluation: core.Evaluation,
      ProblemSummary: core.ProblemSummary,
    },
    ...{ EvaluationRequest: core.EvaluationRequest, EvaluationSession: core.EvaluationSession },
    UploadedProblem: core.UploadedProblem,
    ...{ ProfiledOperation: core.ProfiledOperation, ProfileReport: core.ProfileReport },
  };
  const definitions = `from typing import *\nfrom typing import Optional as NotRequired\n${pythonTypes(schemas)}`;
  const [ours, theirs, request] = (await call(`
import re, typing
import kernelbot
expected = {}
exec(${JSON.stringify(definitions)}, expected)
names = ${JSON.stringify([...Object.keys(schemas), "EvaluationVersions"])}

def fields(namespace, name):
    if not isinstance(namespace[name], type):
        return type_name(namespace[name])
    hints = sorted(typing.get_type_hints(namespace[name]).items())
    return {re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), field): type_name(hint) for field, hint in hints}

def type_name(hint):
    text = hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)
    # Requests take any mapping, and None for an optional field.
    text = text.replace("typing.Mapping", "dict").replace("Optional[int]", "int | None")
    return text.replace("typing.", "").replace("kernelbot.types.", "")

show([{name: fields(space, name) for name in names} for space in (vars(kernelbot), expected)]
    + [EvaluationRequest("double", "x", "cpu").to_json()])`)) as [unknown, unknown, unknown];
  expect(ours).toEqual(theirs);
  const parsed = core.EvaluationRequest.parse({ problem: "double", code: "x", target: "cpu" });
  expect(core.EvaluationRequest.strict().parse(request)).toEqual(parsed);
});

test("an evaluation is waited for and returned with its result", async () => {
  const returned = call(`show(Client().evaluate("double", "x = 1", target="cpu", rule="step@1", tags={"group": "7"}))`);
  expect(await judge(passing("reward", [250, 250]))).toBe("x = 1");
  expect(await returned).toMatchObject({
    ...{ problem: "double", level: "reward", state: "done", outcome: "passed", reward: 1, tags: { group: "7" } },
    ...{ cached: false, speedup: { low: expect.any(Number) as number }, versions: { tester: "1" } },
  });
});

test("a failure of the platform has no reward", async () => {
  const returned = call(`
evaluation = Client().evaluate("double", "x = 2", target="cpu")
try:
    evaluation.require_reward()
except NoRewardError as error:
    show([evaluation.state, evaluation.outcome, evaluation.reward, str(error)])`);
  for (let attempt = 0; attempt < 3; attempt += 1) await judge(JUDGE_FAILED);
  expect(await returned).toEqual([
    ...["done", "infra_error", null],
    expect.stringMatching(/^evaluation \d+ of double has no reward: not judged: the platform failed, not the code$/),
  ]);
});

test("a batch yields its results in the order in which they end", async () => {
  const returned = call(`
requests = [EvaluationRequest("double", code, "cpu", level="test") for code in ("x = 3", "x = 4", "x = 3")]
batch = Client().evaluate_batch(requests)
show([[index, evaluation.outcome, evaluation.reward] for index, evaluation in batch]
    + [[evaluation.outcome for evaluation in batch.results()]])`);
  for (let run = 0; run < 2; run += 1) {
    await judge({ "x = 3": failing("wrong_result"), "x = 4": passing("test") });
  }
  const results = (await returned) as unknown[];
  expect(results.at(-1)).toEqual(["wrong_result", "passed", "wrong_result"]);
  expect(results.slice(0, -1)).toEqual(
    expect.arrayContaining([
      [0, "wrong_result", 0],
      [1, "passed", 0.3],
      [2, "wrong_result", 0],
    ]),
  );
});

test("a session counts evaluations, keeps notes and is attached to a submission, with and without asyncio", async () => {
  const client = server.client(token);
  const { id: submission } = await client.submit({
    ...{ board: "double", targets: ["cpu"], mode: "test", fileName: "kernel.py", source: "x = 9" },
  });
  await judge(passing("test"));
  const returned = call(`
with Client().open_session("double", target="cpu", max_evaluations=1, max_seconds=600) as session:
    evaluation = session.evaluate("x = 10", level="test")
    session.note("tile of 64")
    try:
        session.evaluate("x = 11")
    except ApiError as error:
        refusal = error.code
    steps = session.transcript()["steps"]
    session.attach(${submission})

async def main():
    async with AsyncClient() as client:
        async with await client.open_session("double", target="cpu", max_evaluations=2, max_seconds=600) as other:
            cached = await other.evaluate("x = 10", level="test")
            await other.note("again")
            return [cached.cached, other.evaluations_left, len((await other.transcript())["steps"]), other.id]

left, ended = session.evaluations_left, session.refresh().seconds_left
show([evaluation.outcome, evaluation.session, refusal, [step["kind"] for step in steps], left, ended, asyncio.run(main())])`);
  await judge(passing("test"));
  const results = (await returned) as unknown[];
  expect(results).toEqual([
    "passed",
    { id: expect.any(Number) as number, evaluations_left: 0, seconds_left: expect.any(Number) as number },
    "conflict",
    ["evaluation", "note"],
    0,
    0,
    [true, 1, 2, expect.any(Number) as number],
  ]);
  expect((await client.sessions.transcriptOf(submission)).steps).toHaveLength(2);
});

test("a request beyond the limit of the token is repeated and then raises the server's reason", async () => {
  const returned = call(`
client = Client(retry_seconds=1)
batch = client.evaluate_batch(EvaluationRequest("double", f"y = {n}", "cpu") for n in range(4))
try:
    client.evaluate("double", "y = 5", target="cpu")
except UnavailableError as error:
    batch.cancel()
    show([str(error), [evaluation.state for evaluation in batch.results()], client.problems()[0], client.problem("double")])`);
  const [reason, states, summary, problem] = (await returned) as unknown[];
  expect(reason).toMatch(
    / responded 429: this account has 4 of at most 4 queued and running evaluations, so 1 evaluation/,
  );
  expect(states).toEqual(Array.from({ length: 4 }, () => "cancelled"));
  expect(summary).toMatchObject({ name: "double", targets: ["cpu", "H100"], competition: null });
  expect(problem).toMatchObject({ name: "double", targets: ["cpu", "H100"], languages: ["py"] });
});

test("a request whose response is lost is repeated and judged once", async () => {
  await using proxy = await startCuttingProxy();
  const before = await evaluationCount();
  const program = `show(asyncio.run(AsyncClient().evaluate("double", "x = 6", target="cpu", level="test")))`;
  const returned = call(program, { url: proxy.url });
  await judge(passing("test"));
  expect(await returned).toMatchObject({ outcome: "passed", cached: false });
  expect(proxy.requests.slice(0, 2)).toEqual(["POST /api/v1/evaluations", "POST /api/v1/evaluations"]);
  expect(await evaluationCount()).toBe(before + 1);
});

test("a task that is cancelled cancels its evaluation", async () => {
  const [state] = (await call(`
async def main():
    client = AsyncClient()
    request = EvaluationRequest("double", "x = 7", "cpu")
    evaluation = await client.submit(request, idempotency_key="seven")
    task = asyncio.create_task(client.wait(evaluation))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return [(await client.wait(evaluation)).state]
show(asyncio.run(main()))`)) as [string];
  expect(state).toBe("cancelled");
});

test("an error of the request names the reason", async () => {
  const program = `
try:
    Client().evaluate("nothing", "x", target="cpu")
except ApiError as error:
    show([error.status, error.code, str(error)])`;
  expect(await call(program)).toEqual([404, "not_found", expect.stringContaining('"nothing"')]);
});

test("two builds of the wheel have the same bytes, and Python imports the client from it", async () => {
  const [first, second] = await Promise.all(
    ["first-", "second-"].map(async (name) => {
      const folder = await mkdtemp(join(inject("scratch"), name));
      return join(folder, await writeClientWheel(folder));
    }),
  );
  const wheel = first ?? "";
  expect((await readFile(wheel)).equals(await readFile(second ?? ""))).toBe(true);
  const program = `
import importlib.metadata, kernelbot
about = importlib.metadata.metadata("kernelbot")
show([kernelbot.__file__, kernelbot.__version__, about["Version"], about.get_all("Provides-Extra")])`;
  expect(await call(program, { path: wheel })).toEqual([
    join(wheel, "kernelbot/__init__.py"),
    ...[pythonVersion(manifest.version), pythonVersion(manifest.version)],
    ["inspect", "nemo-gym", "trl", "verifiers"],
  ]);
});
