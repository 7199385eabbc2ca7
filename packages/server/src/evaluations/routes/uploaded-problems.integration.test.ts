/** Problems that an account uploads for its evaluations: who may use them, where they never appear, and when they end. */
import { mkdtempSync } from "node:fs";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
  Evaluation,
  EvaluationSession,
  UploadedProblem,
  UploadedProblemList,
  type ApiError,
  type EvaluationRequest,
} from "@kernelbot/core";
import { claimed, passing, problemFiles, reported, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { sql } from "kysely";
import { openDirectoryStore } from "../../artifacts/directory.ts";
import type { Identity } from "../../auth/identity.ts";
import { authenticate } from "../../auth/tokens.ts";
import { deleteOldEvaluations } from "../delete-old.ts";
import { lockEvaluations } from "../lock-account.ts";
import { uploadProblem } from "../uploaded-problems.ts";

const HOUR_MS = 3_600_000;

let server: TestServer;
let box: Identity;
/** Tokens of one organiser: with and without the scope admin. */
let organiser: string;
let trainer: string;
let olga: Identity;

beforeAll(async () => {
  server = await openTestServer();
  box = await runner(server.database);
  organiser = await server.token("olga", ["submit", "read", "admin"], [], ["organiser"]);
  trainer = await server.token("olga", ["submit", "read"], [], ["organiser"]);
  olga = await authenticate(server.database, organiser);
});
afterAll(() => server[Symbol.asyncDispose]());

/** Returns the tree of a problem `mine`; each description gives another version. */
function tree(description: string): Record<string, string> {
  const files = problemFiles((task) => task.replace("Doubles a vector.", description));
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`mine/${name}`, text]));
}

function post(path: string, body: unknown, by: string): Promise<Response> | Response {
  const headers = { "content-type": "application/json" };
  return server.ask(`/api/v1/evaluations${path}`, by, { method: "POST", headers, body: JSON.stringify(body) });
}

async function upload(description: string, by = organiser): Promise<UploadedProblem> {
  const response = await post("/problems", { files: tree(description) }, by);
  return UploadedProblem.parse(await response.json());
}

function evaluate(problem: string, by: string, change: Partial<EvaluationRequest> = {}) {
  return post("", { problem, target: "cpu", code: "x = 1\n", level: "test", ...change }, by);
}

async function detailOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as ApiError).detail];
}

async function versions(): Promise<string[]> {
  const rows = await server.database.db.selectFrom("problem_version").select("hash").orderBy("hash").execute();
  return rows.map(({ hash }) => hash);
}

test("an uploaded problem has the name and targets of the competition file that is uploaded with it", async () => {
  const entries = ["mine", "other"].map(
    (name) => `{ directory: ${name}, name: ${name}-v2, deadline: "2100-01-01", gpus: [MI300] }`,
  );
  const files = { ...tree("Listed."), "spring.yaml": `name: Spring\nproblems: [${entries.join(", ")}]\n` };
  const response = await post("/problems", { files }, organiser);
  expect(await response.json()).toMatchObject({
    name: "mine-v2",
    targets: expect.arrayContaining(["MI300"]) as string[],
  });
});

test("an uploaded problem is evaluated by any token of its account, and uploading it again changes nothing", async () => {
  const uploaded = await upload("Mine.");
  expect(uploaded).toMatchObject({ name: "mine", targets: ["cpu", "H100"] });
  const before = await versions();
  expect(await upload("Mine.")).toEqual(uploaded);
  expect(await versions()).toEqual(before);

  const queued = Evaluation.parse(await (await evaluate(uploaded.problem, trainer)).json());
  expect(queued).toMatchObject({ state: "queued", problem: uploaded.problem });
  const run = await claimed(server.database, box);
  expect(`sha256:${run.problemVersion}`).toBe(uploaded.problem);
  expect(run.seed).toMatch(/^[0-9a-f]{64}$/);
  await reported(server.database, box, run, passing("test"));
  const done: unknown = await (await server.ask(`/api/v1/evaluations/${queued.id}`, trainer)).json();
  expect(done).toMatchObject({ state: "done", outcome: "passed", reward: 0.3, problem: uploaded.problem });
  const again = Evaluation.parse(await (await evaluate(uploaded.problem, trainer)).json());
  expect(again).toMatchObject({ state: "done", cached: true, reward: 0.3 });

  const body = { problem: uploaded.problem, target: "cpu", code: "x = 2\n", level: "compile" };
  expect((await post("/batches", { evaluations: [body, { ...body, problem: "double" }] }, trainer)).status).toBe(202);
  for (const _ of [1, 2]) await reported(server.database, box, await claimed(server.database, box), passing("compile"));
});

test("for another account it does not exist, even if it has uploaded problems of its own", async () => {
  const { problem } = await upload("Mine.");
  const never = `sha256:${"0".repeat(64)}`;
  for (const by of [
    await server.token("bob"),
    await server.token("carla", ["submit", "read", "admin"], [], ["organiser"]),
    await server.token("root", ["submit", "read", "admin"]),
  ]) {
    const refused = await detailOf(await evaluate(problem, by));
    expect(refused).toEqual([404, expect.stringMatching(`^problem "${problem}" not found: this account has not`)]);
    expect(refused[1].replace(problem, never)).toBe((await detailOf(await evaluate(never, by)))[1]);
  }
});

test("it is in no list and on no page", async () => {
  const { problem } = await upload("Never listed.");
  await evaluate(problem, trainer, { code: "x = 3\n" });
  for (const path of [
    "/api/v1/problems",
    "/api/v1/boards",
    "/problems",
    "/",
    "/admin/problems",
    "/api/v1/submissions",
  ]) {
    const text = await (await server.ask(path, organiser)).text();
    expect(text).not.toMatch(/\bmine\b|Never listed/);
  }
  for (const path of [`/problems/mine`, `/problems/${problem}`, `/api/v1/problems/mine`, `/boards/mine/cpu`]) {
    expect((await server.ask(path, organiser)).status).not.toBe(200);
  }
  const root = await server.token("root", ["read", "admin"]);
  const queued = (await (await server.ask("/api/v1/queue/runs", root)).json()) as { runs: { board: string }[] };
  expect(queued.runs.map(({ board }) => board)).toContain(problem);
  await reported(server.database, box, await claimed(server.database, box), passing("test"));
});

test("it is an OpenEnv environment of its account", async () => {
  const { problem } = await upload("Mine.");
  const path = `/openenv/${problem}`;
  for (const by of [undefined, await server.token("bob")]) {
    expect((await server.ask(`${path}/metadata`, by)).status).toBe(404);
  }
  expect(await (await server.ask(`${path}/metadata`, trainer)).json()).toMatchObject({ name: "mine" });
  const init = { method: "POST", headers: { "content-type": "application/json" } };
  const body = JSON.stringify({ action: { code: "x = 4\n" }, level: "test" });
  const stepping = server.ask(`${path}/step`, trainer, { ...init, body });
  const queued = () => server.database.db.selectFrom("run").select("id").where("state", "=", "queued").execute();
  await expect.poll(queued).not.toEqual([]);
  await reported(server.database, box, await claimed(server.database, box), passing("test"));
  expect(await (await stepping).json()).toMatchObject({ reward: 0.3, observation: { problem_id: problem } });
});

test("only organisers upload, since a problem decides how long a run takes", async () => {
  expect((await post("/problems", { files: tree("No.") }, await server.token("bob"))).status).toBe(403);
  expect((await post("/problems", { files: tree("No.") }, trainer)).status).toBe(403);
});

test.each([
  [{}, "files: 0 directories with a task.yml; send one problem, with paths such as vectoradd/task.yml"],
  [{ "a/task.yml": "", "b/task.yml": "" }, "files: 2 directories with a task.yml"],
  [{ "Mine/task.yml": "x: 1" }, 'problem "Mine": its name may only contain lower-case letters'],
  [
    { "mine/task.yml": "tests: []\nbenchmarks: 1\ntolerance: {rtol: -1}\n" },
    /task.yml: description: .*; task.yml: tests: .*; task.yml: benchmarks: .*; task.yml: tolerance.rtol: .*; task.yml: tolerance.atol/,
  ],
  [
    { "mine/task.yml": `${problemFiles()["task.yml"]}templates: { Python: gone.py }\n`, "mine/data.bin": null },
    /^problem "mine": "data.bin": the file is not UTF-8 text .*; reference.py is missing; task.yml: templates.Python: the file "gone.py" does not exist$/,
  ],
])("%o is refused with its faults, and nothing is stored", async (files, message) => {
  const before = await versions();
  const [status, detail] = await detailOf(await post("/problems", { files }, organiser));
  expect(status).toBe(422);
  expect(detail).toMatch(message);
  expect(await versions()).toEqual(before);
});

test("an invalid reference is refused", async () => {
  const [status, detail] = await detailOf(await evaluate("sha256:12", trainer));
  expect([status, detail]).toEqual([422, expect.stringContaining("problem: use the name of a problem")]);
});

test("an account may upload so many problems and bytes, and what it has uploaded can still be evaluated", async () => {
  const { problem } = await upload("First.");
  const { database } = server;
  await expect(uploadProblem(database, olga, tree("Second."), { problems: 1, bytes: 1e6 })).rejects.toThrow(
    /^the account has \d uploaded problems? of at most 1; problems that are not evaluated are deleted/,
  );
  await expect(uploadProblem(database, olga, tree("Second."), { problems: 99, bytes: 1000 })).rejects.toThrow(
    /of at most 1000 B of uploaded problems, and this one has/,
  );
  expect(await uploadProblem(database, olga, tree("First."), { problems: 1, bytes: 1 })).toMatchObject({ problem });
});

test("it is deleted some time after its last evaluation is, and the version with it unless another account has it", async () => {
  await using own = await openTestServer();
  const { database } = own;
  const before = await database.db.selectFrom("problem_version").select("hash").execute();
  const store = await openDirectoryStore(mkdtempSync(`${inject("scratch")}/store-`));
  const [ann, bob] = await Promise.all(
    ["ann", "bob"].map(async (name) =>
      authenticate(database, await own.token(name, ["submit", "read", "admin"], [], ["organiser"])),
    ),
  );
  if (ann === undefined || bob === undefined) throw new Error("no accounts");
  const { problem } = await uploadProblem(database, ann, tree("Shared."));
  await uploadProblem(database, bob, tree("Shared."));
  const token = await own.token("ann");
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ problem, target: "cpu", code: "x = 1\n", level: "test" });
  expect((await own.ask("/api/v1/evaluations", token, { method: "POST", headers, body })).status).toBe(202);
  const later = () => database.sql`update uploaded_problem set used_at = used_at - interval '3 hours'`;
  const uploads = async () => {
    await deleteOldEvaluations(database, store, 2 * HOUR_MS);
    const rows = await database.db.selectFrom("uploaded_problem").select("account_id").execute();
    return rows.map((row) => row.account_id);
  };
  await later();
  // Ann has an evaluation of it.
  expect(await uploads()).toEqual([ann.account.id]);
  await database.sql`update run set state = 'cancelled', finished_at = clock_timestamp()`;
  await database.sql`update evaluation set ended_at = ended_at - interval '3 hours'`;
  expect(await uploads()).toEqual([]);
  expect(await database.db.selectFrom("problem_version").select("hash").execute()).toEqual(before);
});

async function list(by: string, on: TestServer = server): Promise<UploadedProblem[]> {
  return UploadedProblemList.parse(await (await on.ask("/api/v1/evaluations/problems", by)).json()).problems;
}

function remove(problem: string, by: string, on: TestServer = server): Promise<Response> {
  return on.ask(`/api/v1/evaluations/problems/${problem}`, by, { method: "DELETE" });
}

test("an account lists its uploaded problems, the last used first, and deletes one that nothing uses", async () => {
  await using own = await openTestServer();
  const token = await own.token("ann", ["submit", "read", "admin"], [], ["organiser"]);
  const ann = await authenticate(own.database, token);
  const before = await own.database.db.selectFrom("problem_version").select("hash").execute();
  const { problem: first } = await uploadProblem(own.database, ann, tree("First."));
  await own.database.sql`update uploaded_problem set used_at = used_at - interval '3 hours'`;
  const second = await uploadProblem(own.database, ann, tree("Second."));
  expect(second).toMatchObject({ name: "mine", targets: ["cpu", "H100"], openEvaluations: 0 });
  expect((await list(token, own)).map(({ problem }) => problem)).toEqual([second.problem, first]);
  const bob = await own.token("bob");
  expect(await list(bob, own)).toEqual([]);
  expect((await remove(first, bob, own)).status).toBe(404);
  expect((await remove("double", token, own)).status).toBe(404);

  const trainer = await own.token("ann");
  for (const { problem } of await list(trainer, own)) expect((await remove(problem, trainer, own)).status).toBe(204);
  expect(await list(token, own)).toEqual([]);
  expect(await own.database.db.selectFrom("problem_version").select("hash").execute()).toEqual(before);
  expect((await remove(first, trainer, own)).status).toBe(404);
});

test("a problem with queued or running evaluations is not deleted; with ended ones it is, and their results stay", async () => {
  await using own = await openTestServer({ listening: true });
  const { database } = own;
  const store = await openDirectoryStore(mkdtempSync(`${inject("scratch")}/store-`));
  const token = await own.token("ann", ["submit", "read", "admin"], [], ["organiser"]);
  const ann = await authenticate(database, token);
  const judge = await runner(database);
  const before = await database.db.selectFrom("problem_version").select("hash").execute();
  const { problem } = await uploadProblem(database, ann, tree("Used."));
  const client = own.client(token);
  const request = { problem, target: "cpu", code: "x = 1\n", level: "test" } as const;
  const { id } = await client.evaluations.create(request);
  const refused = [
    409,
    `problem "${problem}" has 1 evaluation queued or running: cancel them, or wait for their results`,
  ];
  expect(await detailOf(await remove(problem, token, own))).toEqual(refused);
  const run = await claimed(database, judge);
  expect(await detailOf(await remove(problem, token, own))).toEqual(refused);
  expect(await list(token, own)).toMatchObject([{ problem, openEvaluations: 1 }]);
  await reported(database, judge, run, passing("test"));

  expect((await remove(problem, token, own)).status).toBe(204);
  expect(await client.evaluations.get(id)).toMatchObject({ problem, outcome: "passed", reward: 0.3 });
  await expect(client.evaluations.create(request)).rejects.toThrow("not found: this account has not uploaded it");
  // The version is deleted with the last evaluation of it.
  await database.sql`update evaluation set ended_at = ended_at - interval '3 hours'`;
  await deleteOldEvaluations(database, store, 2 * HOUR_MS);
  expect(await database.db.selectFrom("problem_version").select("hash").execute()).toEqual(before);
});

test("an evaluation whose problem is deleted after the check of the request is refused", async () => {
  const { problem } = await upload("Deleted soon.");
  const waiting = async () => {
    const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`.execute(server.database.db);
    return rows.length;
  };
  // Both requests wait for the lock of the account, in this order.
  const [deleting, creating] = await server.database.db.transaction().execute(async (transaction) => {
    await lockEvaluations(transaction, olga.account.id);
    const first = remove(problem, trainer);
    await expect.poll(waiting).toBe(1);
    const second = Promise.resolve(evaluate(problem, trainer, { code: "x = 5\n" }));
    await expect.poll(waiting).toBe(2);
    return [first, second] as const;
  });
  expect((await deleting).status).toBe(204);
  expect((await creating).status).toBe(404);
});

test("a session is opened for an uploaded problem, but only by its account", async () => {
  const { problem } = await upload("For a session.");
  const budget = { problem, target: "cpu", maxEvaluations: 2, maxSeconds: 60 };
  const open = (by: string) =>
    server.ask("/api/v1/evaluation-sessions", by, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(budget),
    });
  const { id } = EvaluationSession.parse(await (await open(trainer)).json());
  const evaluation = Evaluation.parse(await (await evaluate(problem, trainer, { session: id })).json());
  expect(evaluation).toMatchObject({ problem, session: { id, evaluationsLeft: 1 } });
  await reported(server.database, box, await claimed(server.database, box), passing("test"));
  const other = await upload("For no session.");
  expect((await detailOf(await evaluate(other.problem, trainer, { session: id })))[0]).toBe(422);
  expect((await detailOf(await open(await server.token("not-olga"))))[0]).toBe(404);
});
