/**
 * A batch of evaluations while server, runner and database are killed with SIGKILL: each evaluation ends once, with the
 * reward that its own code has earned.
 */
import { expect, test } from "vitest";
import type { EvaluationRequest } from "@kernelbot/core";
import type { z } from "zod";
import { KillableServer } from "./killable-server.ts";

/** Set KERNELBOT_TEST_EVALUATIONS for more, such as 500 before a release. */
const COUNT = Number(process.env["KERNELBOT_TEST_EVALUATIONS"] ?? 30);
/** Number of results between two kills. */
const EVERY = Math.max(6, Math.round(COUNT / 10));
const VICTIMS = ["server", "runner", "database"] as const;
/** Long enough that every kill finds a running job. */
const SLOW = "import time\ntime.sleep(0.5)\n";
const CORRECT = "def custom_kernel(data):\n    x, out = data\n    return out.copy_(x + x)\n";
const WRONG = "def custom_kernel(data):\n    x, out = data\n    return out.copy_(x + 1)\n";

const isWrong = (index: number): boolean => index % 3 === 2;

function requestOf(index: number): z.input<typeof EvaluationRequest> {
  const code = `# ${index}\n${SLOW}${isWrong(index) ? WRONG : CORRECT}`;
  return { problem: "double", target: "cpu", code, level: "test", rule: "pass@1", tags: { index: `${index}` } };
}

test("each evaluation of a batch ends once with its own reward although processes are killed", async () => {
  const server = await KillableServer.open();
  try {
    const requests = Array.from({ length: COUNT }, (_, index) => requestOf(index));
    const options = { idempotencyKey: "step-1" };
    const batch = await server.client.evaluations.createBatch(requests, options);
    expect(await server.client.evaluations.createBatch(requests, options)).toEqual(batch);

    const results = [];
    for await (const result of server.client.evaluations.results(batch.id)) {
      results.push(result);
      const kills = results.length / EVERY;
      if (Number.isInteger(kills)) await server.kill(VICTIMS[(kills - 1) % VICTIMS.length] as (typeof VICTIMS)[number]);
    }

    expect(results.map(({ number }) => number)).toEqual(results.map((_, position) => position + 1));
    expect(results.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(batch.evaluations);
    const byIndex = results.toSorted((a, b) => Number(a.tags["index"]) - Number(b.tags["index"]));
    expect(byIndex.map(({ outcome, reward }) => [outcome, reward])).toEqual(
      requests.map((_, index) => (isWrong(index) ? ["wrong_result", 0] : ["passed", 1])),
    );
    const kills = VICTIMS.reduce((sum, victim) => sum + server.killed[victim], 0);
    expect(kills).toBe(Math.floor(COUNT / EVERY));
    expect(await server.client.evaluations.createBatch(requests, options)).toEqual(batch);
  } finally {
    await server.close();
  }
});
