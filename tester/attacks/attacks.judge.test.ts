import { dirname } from "node:path";
import { afterAll, beforeAll, expect, test, type TestContext } from "vitest";
import { MAX_RETIMINGS, VerdictEvent, type Language, type Problem } from "@kernelbot/core";
import { startTester, type Tester } from "@kernelbot/tester";
import { sample } from "@kernelbot/testing/sample.ts";
import { isExpected, judgeKernel, loadAttacks, loadCorpusProblem, loadHonest, type Kernel } from "./corpus.ts";
import corpus from "./corpus.json" with { type: "json" };

const attacks = sample(await loadAttacks(), { share: 0.2, group: ({ expect, name }) => `${expect} ${dirname(name)}` });
const honest = sample(await loadHonest(), { share: 0.2, group: ({ name }) => dirname(name) });

let tester: Tester;
let problem: Problem;
beforeAll(async () => {
  problem = await loadCorpusProblem();
  tester = await startTester();
});
afterAll(() => tester.close());

/** Judges a kernel; again where the machine was too busy to measure it, as the server does. */
async function expectOutcome(kernel: Kernel, { skip }: Pick<TestContext, "skip">): Promise<void> {
  const { spec, files } = problem;
  // Shorter than on a machine with an accelerator, where builds take longer: some refused kernels never end.
  const timeoutsS = { ...spec.timeoutsS, prepare: kernel.expect === "refused" ? 10 : 20 };
  const judge = () => judgeKernel(tester, { spec: { ...spec, timeoutsS }, files }, kernel);
  let judgement = await judge();
  for (let again = 0; again < MAX_RETIMINGS && judgement.isNoisy && !isExpected(kernel, judgement); again += 1)
    judgement = await judge();
  skip(judgement.isNoisy && !isExpected(kernel, judgement), "the machine was too busy to measure it");
  expect(isExpected(kernel, judgement), JSON.stringify(judgement)).toBe(true);
}

const withExpectation = (kernels: Kernel[], expect: Kernel["expect"]): [string, Kernel][] =>
  kernels.filter((kernel) => kernel.expect === expect).map((kernel) => [kernel.name, kernel]);

test.for(withExpectation(attacks, "refused"))("the attack %s is refused", ([, kernel], context) =>
  expectOutcome(kernel, context),
);

test.for(withExpectation(attacks, "not built"))("the attack %s is not built", ([, kernel], context) =>
  expectOutcome(kernel, context),
);

test.for(withExpectation(attacks, "no advantage"))("the attack %s gains nothing", ([, kernel], context) =>
  expectOutcome(kernel, context),
);

test.for(withExpectation(honest, "passed"))("the honest kernel %s passes", ([, kernel], context) =>
  expectOutcome(kernel, context),
);

// tester/tests/test_qualify.py checks the same outcomes in Python.
test("a kernel with another outcome than expected, or an impossible speedup, counts as accepted", () => {
  for (const { expect: expected, language, speedup, right, ...outcome } of corpus.judgements) {
    const verdict = VerdictEvent.parse({
      type: "verdict",
      verdict: speedup === undefined ? "failed" : "passed",
      failureClass: null,
      message: speedup === undefined ? "it failed" : null,
      detail: null,
      ...outcome,
    });
    const kernel = { name: "attack", expect: expected as Kernel["expect"], source: "", language: language as Language };
    expect(isExpected(kernel, { verdict, speedup }), JSON.stringify({ expected, language, speedup, ...outcome })).toBe(
      right,
    );
  }
});
