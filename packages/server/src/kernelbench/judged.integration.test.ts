/** An entry from its file to its scores, judged by the real judge. */
import type { JudgeEvent } from "@kernelbot/core";
import { startTester } from "@kernelbot/tester";
import { expect, test } from "vitest";
import { readProblemVersion } from "../problems/problems.ts";
import { claimed, reported } from "@kernelbot/testing/fixtures.ts";
import { entered, suiteSource, withSuite } from "@kernelbot/testing/kernelbench.ts";
import { ann, box, database, root, useScene } from "@kernelbot/testing/scene.ts";
import { readEntry } from "./entries.ts";

useScene();

function model(body: string): string {
  return `import torch\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        ${body}\n`;
}

test("a correct kernel is timed with statistics, an incorrect one fails, and one that cannot be imported is not compiled", async () => {
  const keys = [1, 2, 3].map((problem) => ({ level: 1, problem }) as const);
  await withSuite(database, root, { profile: "smoke", problems: keys.map((key) => suiteSource(key)) });
  const { id } = await entered(database, ann, {
    kernels: {
      level_1_problem_1_sample_0: model("return torch.clamp(x, min=0)"),
      level_1_problem_2_sample_0: model("return x + 1"),
      level_1_problem_3_sample_0: `import nothing_at_all\n${model("return x")}`,
    },
  });
  const tester = await startTester();
  try {
    for (const _ of keys) {
      const run = await claimed(database, box, "cpu", { machine: tester.machine });
      const problem = await readProblemVersion(database, run.problemVersion);
      if (problem === null) throw new Error("the problem is missing");
      const { mode, target, source, seed } = run;
      const events: JudgeEvent[] = [];
      await tester.run({ type: "run", id: `${run.runId}`, mode, target, problem, source, seed }, (event) =>
        events.push(event),
      );
      await reported(database, box, run, events);
    }
  } finally {
    await tester.close();
  }
  const { results, score } = await readEntry(database, ann, id);
  expect(results).toMatchObject([
    { state: "done", compiled: true, correct: true, correctByOracle: true, failureClass: null },
    { state: "done", compiled: true, correct: false, failureClass: "wrong_result", timeNs: null },
    { state: "done", compiled: false, correct: false, failureClass: expect.any(String) as unknown },
  ]);
  expect(results[0]?.timeNs?.value).toBeGreaterThan(0);
  expect(results[0]?.eagerNs?.value).toBeGreaterThan(0);
  const { count = 0, meanNs = 0, minNs = 0, maxNs = 0 } = results[0]?.samples ?? {};
  expect(count).toBeGreaterThan(1);
  expect([minNs, meanNs, maxNs]).toEqual([minNs, meanNs, maxNs].sort((a, b) => a - b));
  expect(minNs).toBeGreaterThan(0);
  expect(results[1]?.samples).toBeNull();
  expect(score.overall).toMatchObject({ compiled: { count: 2, of: 3 }, correct: { count: 1, of: 3 }, geoMeanOf: 1 });
});
