/** Runs over the API, as their author and as other callers receive them. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { RunDetail } from "@kernelbot/core";
import { authenticate } from "../../auth/tokens.ts";
import { MACHINE, ranked, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

let testServer: TestServer;
beforeEach(async () => {
  testServer = await openTestServer();
});
afterEach(() => testServer[Symbol.asyncDispose]());

test("shows the run of another account's entry with cases and samples, without private fields", async () => {
  const ann = await testServer.token("ann");
  const box = await runner(testServer.database);
  await ranked(testServer.database, await authenticate(testServer.database, ann), box, 100);
  const of = async (token?: string) => {
    const answer = await testServer.ask("/api/v1/runs/1", token);
    expect(answer.status).toBe(200);
    return RunDetail.parse(await answer.json());
  };
  const own = await of(ann);
  expect(own.machine?.hostname).toBe(MACHINE.hostname);
  for (const token of [await testServer.token("bob"), undefined]) {
    const shown = await of(token);
    expect(shown).toMatchObject({ verdict: "passed", score: own.score, message: null, detail: null, review: [] });
    expect(shown.machine?.hostname).toBe("");
    expect(shown.stages.map(({ cases }) => cases.map(({ rounds }) => rounds))).toEqual(
      own.stages.map(({ cases }) => cases.map(({ rounds }) => rounds)),
    );
    expect(shown.stages.every(({ output }) => output === null)).toBe(true);
  }
});

test("a missing run is 404 with a token and 401 without", async () => {
  expect((await testServer.ask("/api/v1/runs/7", await testServer.token("bob"))).status).toBe(404);
  expect((await testServer.ask("/api/v1/runs/7")).status).toBe(401);
});
