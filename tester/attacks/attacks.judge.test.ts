import { afterAll, beforeAll, expect, test } from "vitest";
import { VerdictEvent, type Language, type Problem } from "@kernelbot/core";
import { startTester, type Tester } from "@kernelbot/tester";
import { isRight, judgeKernel, loadAttacks, loadCorpusProblem, loadHonest, type Kernel } from "./corpus.ts";
import corpus from "./corpus.json" with { type: "json" };

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
  const { spec, files } = problem;
  // None takes so long to build as a machine with an accelerator may need; one that is refused never ends.
  const timeoutsS = { ...spec.timeoutsS, prepare: kernel.expect === "refused" ? 10 : 20 };
  const judgement = await judgeKernel(tester, { spec: { ...spec, timeoutsS }, files }, kernel);
  expect(isRight(kernel, judgement), JSON.stringify(judgement)).toBe(true);
}

const withExpectation = (kernels: Kernel[], expect: Kernel["expect"]): [string, Kernel][] =>
  kernels.filter((kernel) => kernel.expect === expect).map((kernel) => [kernel.name, kernel]);

test.for(withExpectation(attacks, "refused"))("the attack %s is refused", ([, kernel]) => judged(kernel));

test.for(withExpectation(attacks, "not built"))("the attack %s is not built", ([, kernel]) => judged(kernel));

test.for(withExpectation(attacks, "no advantage"))("the attack %s gains nothing", ([, kernel]) => judged(kernel));

test.for(withExpectation(honest, "passed"))("the honest kernel %s passes", ([, kernel]) => judged(kernel));

// The same judgements are made by Python: tester/tests/test_qualify.py.
test("a forged time would be noticed: a kernel that is wrong or too fast counts as accepted", () => {
  for (const { expect: to, language, speedup, right, ...ended } of corpus.judgements) {
    const verdict = VerdictEvent.parse({
      type: "verdict",
      verdict: speedup === undefined ? "failed" : "passed",
      failureClass: null,
      message: speedup === undefined ? "it failed" : null,
      detail: null,
      ...ended,
    });
    const kernel = { name: "attack", expect: to as Kernel["expect"], source: "", language: language as Language };
    expect(isRight(kernel, { verdict, speedup }), JSON.stringify({ to, language, speedup, ...ended })).toBe(right);
  }
});
