/**
 * Evaluations exist only at their own endpoints, for their owner and administrators: no list, page, board, profile,
 * export, webhook or duplicate search has them, and they count against no limit of submissions.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { CompetitionSpec, EvaluationRequest, type ApiError } from "@kernelbot/core";
import { createCompetition } from "../src/competitions/change.ts";
import { createEvaluation } from "../src/evaluations/create.ts";
import { DEFAULT_EVALUATION_LIMITS } from "../src/evaluations/limits.ts";
import { authenticate } from "../src/auth/tokens.ts";
import type { Identity } from "../src/auth/identity.ts";
import { storeFingerprints, similarTo } from "../src/moderation/similar.ts";
import { setServerLimits } from "../src/submissions/raised-limits.ts";
import { submit } from "../src/submissions/submit.ts";
import { inHours } from "@kernelbot/testing/competitions.ts";
import { claimed, passing, reported, request, runner, submitted } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

const CODE = `# ${"a kernel with enough text for fingerprints; ".repeat(20)}\ndef custom_kernel(data):\n    return [2 * x for x in data]\n`;

let server: TestServer;
let tokens: Record<"owner" | "other" | "moderator" | "organiser" | "administrator", string>;
let owner: Identity;
let box: Identity;
/** An evaluation that passed level reward, with the submission and the run that judged it. */
let evaluation: { id: number; submission: number; run: number };

beforeAll(async () => {
  server = await openTestServer();
  const { database } = server;
  tokens = {
    owner: await server.token("owner", ["submit", "read"]),
    other: await server.token("other"),
    moderator: await server.token("moderator", ["submit", "read", "admin"], [], ["moderator"]),
    organiser: await server.token("organiser", ["submit", "read", "admin"], [], ["organiser"]),
    administrator: await server.token("root", ["submit", "read", "admin"]),
  };
  owner = await authenticate(database, tokens.owner);
  box = await runner(database);
  const id = await evaluate({});
  const run = await claimed(database, box);
  await reported(database, box, run, passing("reward", [100, 100]));
  const { submission_id: submission } = await database.db
    .selectFrom("run")
    .select("submission_id")
    .where("id", "=", run.runId)
    .executeTakeFirstOrThrow();
  evaluation = { id, submission, run: run.runId };
});
afterAll(() => server[Symbol.asyncDispose]());

function evaluate(change: Partial<EvaluationRequest>, by: Identity = owner): Promise<number> {
  const body = EvaluationRequest.parse({ problem: "double", target: "cpu", code: CODE, level: "reward", ...change });
  return createEvaluation(server.database, by, body, { limits: DEFAULT_EVALUATION_LIMITS });
}

test("its owner and administrators read it; others, moderators included, learn nothing of it", async () => {
  const path = `/api/v1/evaluations/${evaluation.id}`;
  const statuses = async (method: string) =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(tokens).map(async ([who, token]) => [who, (await server.ask(path, token, { method })).status]),
      ),
    ) as Record<string, number>;
  const expected = { owner: 200, other: 404, moderator: 404, organiser: 404, administrator: 200 };
  expect(await statuses("GET")).toEqual(expected);
  expect(await statuses("DELETE")).toEqual(expected);
});

test.each([
  "/api/v1/submissions/SUBMISSION",
  "/api/v1/submissions/SUBMISSION/source",
  "/api/v1/submissions/SUBMISSION/licence",
  "/api/v1/submissions/SUBMISSION/events",
  "/api/v1/runs/RUN",
  "/api/v1/runs/RUN/receipt",
  "/api/v1/runs/RUN/artifacts/profile.0.txt",
  "/api/v1/compare?a=SUBMISSION&b=SUBMISSION",
  "/submissions/SUBMISSION",
  "/submissions/SUBMISSION/source",
  "/submissions/SUBMISSION/updates?after=9999",
  "/compare/SUBMISSION/SUBMISSION",
  "/user/submissions/SUBMISSION",
  "/admin/submissions/SUBMISSION",
  "/api/v1/moderation/runs/RUN",
])("%s does not exist for anyone", async (path) => {
  const at = path.replaceAll("SUBMISSION", `${evaluation.submission}`).replaceAll("RUN", `${evaluation.run}`);
  for (const [who, token] of Object.entries(tokens)) {
    const response = await server.ask(at, token, { headers: { "x-popcorn-cli-id": token } });
    expect([403, 404], `${who} at ${at}`).toContain(response.status);
    expect(await response.text()).not.toContain("custom_kernel");
  }
});

test.each([
  ["POST", "/api/v1/submissions/SUBMISSION/cancel", undefined],
  ["DELETE", "/api/v1/submissions/SUBMISSION", undefined],
  ["PUT", "/api/v1/submissions/SUBMISSION/licence", { licence: "MIT" }],
  ["POST", "/api/v1/submissions/SUBMISSION/remove", { reason: "copied" }],
  ["POST", "/api/v1/submissions/SUBMISSION/rerun", undefined],
  ["POST", "/api/v1/runs/RUN/report", { reason: "it cheats" }],
  ["POST", "/api/v1/runs/RUN/flag", { reason: "it cheats" }],
  ["POST", "/api/v1/runs/RUN/accept", { reason: "fine" }],
])("%s %s changes nothing for anyone", async (method, path, body) => {
  const at = path.replaceAll("SUBMISSION", `${evaluation.submission}`).replaceAll("RUN", `${evaluation.run}`);
  const init = {
    method,
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  };
  for (const [who, token] of Object.entries(tokens)) {
    expect([403, 404, 409], `${who} at ${at}`).toContain((await server.ask(at, token, init)).status);
  }
  const state = await server.database
    .sql`select s.licence, s.removed_at, r.state, r.verdict, (select count(*) from flag) as flags
    from submission s join run r on r.submission_id = s.id where s.id = ${evaluation.submission}`;
  expect([...state]).toMatchObject([{ licence: null, removed_at: null, state: "done", verdict: "passed", flags: 0 }]);
});

test.each([
  "/api/v1/submissions",
  "/api/v1/submissions?board=double",
  "/user/submissions",
  "/api/v1/boards/double/cpu",
  "/api/v1/boards/double/cpu/history",
  "/boards/double/cpu",
  "/submissions/double/cpu",
  "/submission_count/double/cpu",
  "/admin/leaderboards/double/submissions",
  "/api/v1/queue",
  "/api/v1/moderation/queue",
])("%s is as without it", async (path) => {
  const without = await openTestServer();
  try {
    for (const name of ["owner", "root"] as const) {
      const here = name === "owner" ? tokens.owner : tokens.administrator;
      const there = await without.token(name, name === "owner" ? ["submit", "read"] : ["submit", "read", "admin"]);
      const [with_, plain] = await Promise.all([
        server.ask(path, here, { headers: { "x-popcorn-cli-id": here } }),
        without.ask(path, there, { headers: { "x-popcorn-cli-id": there } }),
      ]);
      expect(with_.status).toBe(plain.status);
      expect(normal(await with_.text())).toBe(normal(await plain.text()));
    }
  } finally {
    await without[Symbol.asyncDispose]();
  }
});

/** Removes times and random values, and what a runner that is online changes. */
function normal(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/nonce="[^"]*"|nonce-[\w+/=-]+/g, "NONCE")
    .replace(/"lastRunnerAt":("TIME"|null)/g, "RUNNER");
}

test("the owner has no profile because of it, and no webhook or Discord message is due", async () => {
  const { status } = await server.ask(`/api/v1/accounts/${owner.account.id}`, tokens.other);
  expect(status).toBe(404);
  expect(await server.database.db.selectFrom("webhook_outbox").selectAll().execute()).toEqual([]);
});

test("its source is no candidate of the duplicate search, until someone submits it", async () => {
  const other = await authenticate(server.database, tokens.other);
  await storeFingerprints(server.database);
  expect(await server.database.db.selectFrom("fingerprint").select("value").execute()).toEqual([]);
  const { submission } = await submit(server.database, other, request({ source: CODE }));
  await storeFingerprints(server.database);
  expect((await server.database.db.selectFrom("fingerprint").select("value").execute()).length).toBeGreaterThan(0);
  expect(await similarTo(server.database, submission.id)).toEqual([]);
  await server.database
    .sql`update run set state = 'cancelled', finished_at = now() where submission_id = ${submission.id}`;
});

test("evaluations count against no limit of submissions, and submissions are claimed before them", async () => {
  await setServerLimits(server.database, { testPerHour: 1 });
  await evaluate({ level: "test", code: `${CODE}# 1\n`, priority: "interactive" });
  await evaluate({ level: "test", code: `${CODE}# 2\n`, priority: "training" });
  const submission = await submitted(server.database, owner);
  const modes = [];
  for (let count = 0; count < 3; count += 1) {
    const run = await claimed(server.database, box);
    const { submission_id: id, priority } = await server.database.db
      .selectFrom("run")
      .select(["submission_id", "priority"])
      .where("id", "=", run.runId)
      .executeTakeFirstOrThrow();
    modes.push([id === submission, priority]);
    await reported(server.database, box, run, passing("test"));
  }
  expect(modes).toEqual([
    [true, 0],
    [false, 1],
    [false, 2],
  ]);
  await setServerLimits(server.database, {});
});

test("a problem of an open competition is evaluated only for its organisers", async () => {
  const organiser = await authenticate(server.database, tokens.organiser);
  const spec = CompetitionSpec.parse({
    ...{ name: "spring", title: "Spring", startsAt: inHours(-1), endsAt: inHours(1), problems: ["triple"] },
  });
  await createCompetition(server.database, organiser, spec);
  const response = await server.ask("/api/v1/evaluations", tokens.other, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ problem: "triple", target: "cpu", code: "x = 1\n" }),
  });
  expect([response.status, ((await response.json()) as ApiError).detail]).toEqual([
    403,
    "the problem triple belongs to the competition spring, which has not ended; submit to its boards, or use a problem outside of competitions",
  ]);
  await expect(evaluate({ problem: "triple" }, organiser)).resolves.toBeGreaterThan(0);
  // Its queued run does not keep the competition's data from being complete.
  const facts = await server.database.sql`select count(*)::integer as submissions from submission s
    where s.problem = 'triple' and not s.is_evaluation`;
  expect([...facts]).toEqual([{ submissions: 0 }]);
});
