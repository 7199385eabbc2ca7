import { afterAll, beforeAll, expect, test } from "vitest";
import type { Problem } from "@kernelbot/core";
import { startTester, type Tester } from "@kernelbot/tester";
import { isRight, judgeKernel, loadAttacks, loadCorpusProblem, loadHonest, type Kernel } from "./corpus.ts";

const attacks = await loadAttacks();
const honest = await loadHonest();

let tester: Tester;
let problem: Problem;
beforeAll(async () => {
  problem = await loadCorpusProblem();
  tester = await startTester();
});
afterAll(() => tester.close());

async function judged(kernel: Kernel): Promise<void> {
  const judgement = await judgeKernel(tester, problem, kernel);
  expect(isRight(kernel, judgement), JSON.stringify(judgement)).toBe(true);
}

const withExpectation = (kernels: Kernel[], expect: Kernel["expect"]): [string, Kernel][] =>
  kernels.filter((kernel) => kernel.expect === expect).map((kernel) => [kernel.name, kernel]);

test.for(withExpectation(attacks, "refused"))("the attack %s is refused", ([, kernel]) => judged(kernel));

test.for(withExpectation(attacks, "not built"))("the attack %s is not built", ([, kernel]) => judged(kernel));

test.for(withExpectation(attacks, "no advantage"))("the attack %s gains nothing", ([, kernel]) => judged(kernel));

test.for(withExpectation(honest, "passed"))("the honest kernel %s passes", ([, kernel]) => judged(kernel));

test("a forged time would be noticed: a kernel that is wrong or too fast counts as accepted", async () => {
  const passed = { type: "verdict", verdict: "passed", failureClass: null, message: null, detail: null } as const;
  const attack = (expect: Kernel["expect"]): Kernel => ({
    name: "attack",
    expect,
    source: "",
    language: "py",
  });
  expect(isRight(attack("refused"), { verdict: passed, speedup: 1 })).toBe(false);
  expect(isRight(attack("no advantage"), { verdict: passed, speedup: 40 })).toBe(false);
  expect(isRight(attack("no advantage"), { verdict: passed, speedup: 1 })).toBe(true);
});
