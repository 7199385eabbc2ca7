import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Problem } from "@kernelbot/core";
import { startTester, type Tester } from "@kernelbot/tester";
import { isExpected, judgeKernel, loadAttacks, loadCorpusProblem, loadHonest, type Kernel } from "../corpus.ts";

const TARGET = "accelerator";
const attacks = await loadAttacks(["gpu"]);
const honest = await loadHonest(["gpu/honest"]);
const accelerated = existsSync("/dev/nvidiactl") || existsSync("/dev/kfd");

describe.skipIf(!accelerated)("on an accelerator (skipped where there is none)", () => {
  let tester: Tester;
  let problem: Problem;
  beforeAll(async () => {
    problem = await loadCorpusProblem();
    tester = await startTester({ accelerator: true });
  });
  afterAll(() => tester.close());

  const named = (kernels: Kernel[]): [string, Kernel][] => kernels.map((kernel) => [kernel.name, kernel]);

  test.for(named(attacks))("the attack %s is refused or gains nothing", async ([, kernel]) => {
    const judgement = await judgeKernel(tester, problem, kernel, TARGET);
    // How much work a device completes after it is stopped varies: a refused attack is as good as one that gains nothing.
    const refused = isExpected({ ...kernel, expect: "refused" }, judgement);
    expect(refused || isExpected(kernel, judgement), JSON.stringify(judgement)).toBe(true);
  });

  test.for(named(honest))("the honest kernel %s passes", async ([, kernel]) => {
    const judgement = await judgeKernel(tester, problem, kernel, TARGET);
    expect(isExpected(kernel, judgement), JSON.stringify(judgement)).toBe(true);
  });
});
