/** Evaluations judged by the real judge at each level, through a server and a runner. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient, type Client } from "@kernelbot/api";
import type { Evaluation, EvaluationLevel } from "@kernelbot/core";
import { readProblemFolder } from "@kernelbot/tester/problem-tree";
import { startServer, type RunningServer } from "../scripts/processes.ts";

const SOLUTIONS = join(import.meta.dirname, "../problems/pmpp/vectoradd/solutions");
const CORRECT = readFileSync(join(SOLUTIONS, "correct.py"), "utf8");
const WRONG = readFileSync(join(SOLUTIONS, "wrong_tail.py"), "utf8");
const INVALID = "def custom_kernel(data):\n    return (\n";
const CRASH = "def custom_kernel(data):\n    raise ValueError('no such luck')\n";

let server: RunningServer;
let client: Client;
beforeAll(async () => {
  server = await startServer({ localRunner: "cpu" });
  client = createClient({ server: server.url, token: server.token });
});
afterAll(() => server[Symbol.asyncDispose]());

function evaluate(level: EvaluationLevel, code: string): Promise<Evaluation> {
  return measured(() => client.evaluations.evaluate({ problem: "vectoradd", target: "cpu", level, code }));
}

/** Evaluates until the machine, on which other tests run too, was quiet enough to measure. */
async function measured(evaluation: () => Promise<Evaluation>): Promise<Evaluation> {
  for (;;) {
    const result = await evaluation();
    if (result.outcome !== "noisy") return result;
  }
}

test("level compile ends after the import, which finds only what cannot be imported", async () => {
  const [correct, wrong, crash, invalid] = await Promise.all(
    [CORRECT, WRONG, CRASH, INVALID].map((code) => evaluate("compile", code)),
  );
  for (const each of [correct, wrong, crash]) {
    expect(each).toMatchObject({ state: "done", outcome: "passed", passed: 0, total: 0, speedup: null });
  }
  expect(invalid).toMatchObject({ outcome: "compile_error", reward: 0 });
  expect(invalid?.feedback).toMatch(/^failed: compile error\n.*line \d/);
});

test("level test runs the test cases and distinguishes a wrong kernel from a crash", async () => {
  const [correct, wrong, crash, invalid] = await Promise.all(
    [CORRECT, WRONG, CRASH, INVALID].map((code) => evaluate("test", code)),
  );
  expect(correct).toMatchObject({ outcome: "passed", passed: 8, total: 8, speedup: null, reward: 0.3 });
  expect(wrong?.outcome).toBe("wrong_result");
  expect(wrong?.reward).toBeCloseTo((0.1 * (wrong?.passed ?? NaN)) / 8);
  expect(wrong?.feedback).toMatch(/\ntest case \d \(size: \d+\): \d+ of \d+ elements? differs?/);
  expect(crash).toMatchObject({ outcome: "crash", passed: 0, reward: 0 });
  expect(crash?.feedback).toContain("ValueError: no such luck");
  expect(invalid).toMatchObject({ outcome: "compile_error", reward: 0 });
  for (const each of [wrong, crash, invalid])
    expect(each?.feedback).not.toMatch(/seed|expected|\/(tmp|work|home|var)\//);
});

test("level reward also times what passes, and nothing else", async () => {
  const wrong = await evaluate("reward", WRONG);
  expect(wrong).toMatchObject({ outcome: "wrong_result", speedup: null });
  const { speedup, reward, ...correct } = await evaluate("reward", CORRECT);
  expect(correct).toMatchObject({ outcome: "passed", passed: 11, total: 11, rule: "log-gain@1" });
  expect(speedup?.low).toBeGreaterThan(0);
  expect(speedup?.low).toBeLessThanOrEqual(speedup?.mid ?? NaN);
  expect(speedup?.mid).toBeLessThanOrEqual(speedup?.high ?? NaN);
  expect(reward).toBeGreaterThanOrEqual(0.3);
  expect((await evaluate("reward", CORRECT)).cached).toBe(true);
});

test("an uploaded problem is judged by its own reference", async () => {
  const folder = await readProblemFolder(join(SOLUTIONS, ".."));
  // Another sum than the server's problem of the same name.
  const path = "pmpp/vectoradd/reference.py";
  const files = { ...folder, [path]: folder[path]?.replace("return a + b", "return a - b") ?? "" };
  expect(files[path]).not.toBe(folder[path]);
  const { problem } = await client.evaluations.uploadProblem(files);
  const judge = (code: string) =>
    measured(() => client.evaluations.evaluate({ problem, target: "cpu", level: "reward", code }));
  const [subtracts, adds] = await Promise.all([judge(CORRECT.replace("np.add", "np.subtract")), judge(CORRECT)]);
  expect(subtracts).toMatchObject({ problem, outcome: "passed", passed: 11, total: 11 });
  expect(subtracts.speedup?.low).toBeGreaterThan(0);
  expect(adds).toMatchObject({ problem, outcome: "wrong_result" });
});

test("a KernelGYM task with a reference that is in no suite is judged", async () => {
  const model = (expression: string, name: string) =>
    `import torch\nimport torch.nn as nn\n\nclass ${name}(nn.Module):\n    def forward(self, x):\n        return ${expression}\n`;
  const inputs = "\ndef get_inputs():\n    return [torch.rand(64, 64)]\n\ndef get_init_inputs():\n    return []\n";
  const judge = async (task: string, expression: string): Promise<unknown[]> => {
    const response = await fetch(`${server.url}/kernelgym/evaluate`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body: JSON.stringify({
        task_id: task,
        reference_code: model("torch.relu(x - 0.5)", "Model") + inputs,
        kernel_code: model(expression, "ModelNew"),
        timeout: 200,
      }),
    });
    const result = (await response.json()) as { detail?: string };
    if (response.status === 503 && result.detail?.includes("too busy") === true)
      return judge(`${task}-again`, expression);
    return [response.status, result];
  };
  expect(await judge("correct", "torch.clamp(x - 0.5, min=0)")).toEqual([
    200,
    expect.objectContaining({ status: "completed", correctness: true, speedup: expect.any(Number) as number }),
  ]);
  expect(await judge("wrong", "x - 0.5")).toEqual([
    200,
    expect.objectContaining({ status: "completed", correctness: false, error_code: "CORRECTNESS_ERROR" }),
  ]);
});
