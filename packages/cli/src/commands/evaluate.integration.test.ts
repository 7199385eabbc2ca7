/** `kernelbot evaluate` and the MCP tool, against a real server whose runs are reported as a runner would report them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Evaluation } from "@kernelbot/core";
import { openAgent } from "@kernelbot/testing/cli/agent.ts";
import { environment, workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { claimed, failing, passing, reported, runner } from "@kernelbot/testing/fixtures.ts";
import { openTestServer, type TestServer } from "@kernelbot/testing/server-with-problems.ts";

const CORRECT = "#!KERNELBOT target cpu\nx = 1\n";
const WRONG = "#!KERNELBOT target cpu\nx = 2\n";

let server: TestServer;
let env: Record<string, string>;
beforeAll(async () => {
  server = await openTestServer({ listening: true });
  const token = await server.token("ann");
  env = { KERNELBOT_TOKEN: token };
  const box = await runner(server.database);
  // Evaluated before, so that the command has its result at once.
  for (const code of [CORRECT, WRONG]) {
    for (const level of ["test", "reward"] as const) {
      await server.client(token).evaluations.create({ problem: "double", target: "cpu", code, level });
      const run = await claimed(server.database, box);
      await reported(server.database, box, run, code === CORRECT ? passing(level, [500, 500]) : failing("crash", "no"));
    }
  }
});
afterAll(() => server[Symbol.asyncDispose]());

test("prints feedback and reward, and its exit code says whether the kernel passed", async () => {
  using place = workshop();
  const call = { server: server.url, env };
  const passed = await place.kernelbot(["evaluate", place.file("kernel.py", CORRECT), "--board", "double"], call);
  expect(passed).toMatchObject({ code: 0, err: "" });
  expect(passed.out).toMatch(
    /^passed, .*faster than the reference\nreward 0\.6\d+ \(log-gain@1\)\nEvaluation \d+: result of/,
  );
  const args = ["evaluate", place.file("wrong.py", WRONG), "--board", "double", "--level", "test", "--rule", "step@1"];
  const failed = await place.kernelbot([...args, "--json"], call);
  expect(failed.code).toBe(1);
  expect(Evaluation.parse(JSON.parse(failed.out))).toMatchObject({ outcome: "crash", reward: 0.1, cached: true });
});

test.each([
  [["evaluate", "FILE", "--board", "double", "--rule", "best"], 'rule: unknown reward rule "best"'],
  [["evaluate", "FILE", "--board", "nothing"], 'board "nothing" not found'],
])("%j exits with 2 and the reason", async (args, reason) => {
  using place = workshop();
  const file = place.file("kernel.py", CORRECT);
  const { code, err } = await place.kernelbot(
    args.map((each) => (each === "FILE" ? file : each)),
    { server: server.url, env },
  );
  expect([code, err]).toEqual([2, expect.stringContaining(reason)]);
});

test("the MCP tool returns the reward, and marks the feedback as text of a program", async () => {
  using place = workshop();
  await using agent = await openAgent(environment(place.folder, { server: server.url, env }));
  const input = { problem: "double", target: "cpu", source: WRONG, fileName: "kernel.py" };
  expect((await agent.call("evaluate", input)).data).toMatchObject({
    ...{ outcome: "crash", reward: 0, speedup: null, cached: true },
    feedback: { untrusted: expect.stringContaining("failed: crash") as string },
  });
});
