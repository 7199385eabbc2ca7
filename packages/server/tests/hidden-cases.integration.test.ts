/**
 * Hidden cases of an application: no response to participants contains their parameters. Each
 * GET route is requested with the ids of everything that a run in the application left behind.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JudgeEvent } from "@kernelbot/core";
import {
  applicationProblemFiles,
  claimed,
  inApplication,
  passing,
  problemTree,
  reported,
  request,
  runner,
} from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";
import { authenticate } from "../src/auth/tokens.ts";
import { syncProblems } from "../src/problems/sync.ts";

/** Parameters, and the salt, that occur nowhere else. Five digits occur in hashes. */
const SECRETS = /(?<![\da-f])4861\d\d?(?![\da-f])|zebra crossing|c0ffeec0ffee/i;
const HIDDEN = `
salt: ${"c0ffee".repeat(6)}
cases: [{ length: 48611, pattern: "zebra crossing" }, { length: 486110 }]
`;
/** How long a response may stay open, in milliseconds: some are endless streams. */
const OPEN_MS = 500;

let testServer: TestServer;
let tokens: Record<"stranger" | "other" | "owner", string | undefined>;
const ids: number[] = [];

function sync(hidden: string) {
  const files = { ...applicationProblemFiles(), "hidden_cases.yml": hidden };
  return syncProblems(testServer.database, problemTree({ "set/used": files }));
}

/** Events of a kernel that fails in the second hidden case, as the judge reports them. */
function failsHidden(): JudgeEvent[] {
  const holds = { verdict: "holds", slower: false, message: null } as const;
  const unstable = { verdict: "unstable", slower: false, message: "unstable", hidden: 2 } as const;
  const cases = [holds, holds, { ...holds, hidden: 1 }, unstable];
  const events = inApplication({ state: "not_validated", held: 3, reason: "hidden case 2: unstable", cases });
  const hidden = [1, 2].map((number): JudgeEvent => {
    const shown = {
      ...(events.find(({ type }) => type === "case_finished") as JudgeEvent & { type: "case_finished" }),
    };
    return { ...shown, index: 1 + number, case: { hidden_case: number }, rounds: [] };
  });
  const at = events.findIndex(({ type }) => type === "stage_finished");
  return events.toSpliced(
    events.findIndex(({ type }, place) => type === "stage_finished" && place >= at),
    0,
    ...hidden,
  );
}

beforeAll(async () => {
  testServer = await openTestServer();
  const { database } = testServer;
  tokens = {
    stranger: undefined,
    other: await testServer.token("other"),
    owner: await testServer.token("owner"),
  };
  await sync(HIDDEN);
  const box = await runner(database);
  const ask = async (path: string, body: object) => {
    const response = await testServer.ask(path, tokens.owner, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect([path, response.status, response.ok]).toEqual([path, response.status, true]);
    return (await response.json()) as { id: number };
  };
  const shared = { board: "used", targets: ["cpu"], fileName: "kernel.py", source: "pass" };
  for (const mode of ["ranked", "application"]) {
    ids.push((await ask("/api/v1/submissions", { ...shared, mode })).id);
    const run = await claimed(database, box);
    ids.push(run.runId);
    await reported(database, box, run, mode === "ranked" ? passing("ranked") : failsHidden());
  }
  const session = await ask("/api/v1/evaluation-sessions", {
    problem: "used",
    target: "cpu",
    maxEvaluations: 3,
    maxSeconds: 60,
  });
  const evaluation = { problem: "used", target: "cpu", code: "other", level: "application", session: session.id };
  ids.push(session.id, (await ask("/api/v1/evaluations", evaluation)).id);
  await reported(database, box, await claimed(database, box), failsHidden());
  // A second version, so that the history has the change.
  await sync(HIDDEN.replace("48611,", "48612, other: 486113,"));
});
afterAll(() => testServer[Symbol.asyncDispose]());

/** Returns the path of a route for each value of its parameters. */
function pathsOf(route: string): string[] {
  const [parameter, name] = /:(\w+)(?:\{[^}]*\})?/.exec(route) ?? [];
  if (parameter === undefined || name === undefined) return [route];
  const values: readonly (string | number)[] = /^(id|number|run|submission)$/i.test(name)
    ? [...new Set(ids)]
    : /target/i.test(name)
      ? ["cpu"]
      : /^(file|starter)$/i.test(name)
        ? ["task.yml", "hidden_cases.yml"]
        : ["used"];
  return values.flatMap((value) => pathsOf(route.replace(parameter, String(value))));
}

/** Reads a response until it ends, or has been open for too long. */
async function textOf(response: Response): Promise<string> {
  let text = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const timer = setTimeout(() => void reader?.cancel(), OPEN_MS);
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) text += part.value;
  clearTimeout(timer);
  return text;
}

test("no response to a participant contains a parameter of a hidden case, or the salt", async () => {
  const routes = testServer.app.routes.filter(
    ({ method, path }) => method === "GET" && !path.startsWith("/api/v1/runner"),
  );
  const paths = [...new Set(routes.flatMap(({ path }) => pathsOf(path)))];
  let [found, named] = [0, 0];
  for (const [who, token] of Object.entries(tokens)) {
    for (const path of paths) {
      const response = await testServer.ask(path, token);
      const text = await textOf(response);
      if (response.status === 200) found += 1;
      if (/hidden.case/.test(text)) named += 1;
      expect([who, path, SECRETS.exec(text)]).toEqual([who, path, null]);
    }
  }
  // Problem, history, submissions, runs, events, evaluation and transcript, over the API and on pages.
  expect(found).toBeGreaterThan(100);
  expect(named).toBeGreaterThan(10);
  expect(SECRETS.exec(testServer.logged.join("\n"))).toBeNull();
});

test("the hidden cases are for the runner that leases a run of the problem, and no other", async () => {
  const { version } = (await (await testServer.ask("/api/v1/problems/used", tokens.owner)).json()) as {
    version: string;
  };
  const box = await testServer.token("box", ["runner"], ["cpu"]);
  const problem = (token: string) => testServer.ask(`/api/v1/runner/problems/${version}`, token);
  const none = await problem(box);
  expect([none.status, await none.text()]).toEqual([404, expect.stringContaining("this token leases no run")]);
  await testServer.ask("/api/v1/submissions", tokens.owner, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request({ board: "used" })),
  });
  await claimed(testServer.database, await authenticate(testServer.database, box));
  expect(await (await problem(box)).text()).toMatch(SECRETS);
  expect((await problem(await testServer.token("other-box", ["runner"], ["cpu"]))).status).toBe(404);
  expect((await testServer.ask(`/api/v1/runner/problems/${version}`, tokens.owner)).status).toBe(403);
});
