import { describe, expect, test } from "vitest";
import { suiteProblem, type SuiteFrame, type SuiteProblemFiles } from "./suite-problem.ts";
import type { SuiteSource } from "./suite.ts";

const SUITE: SuiteFrame = { name: "mini", precision: "fp32", targets: ["cpu", "H100"], profile: "full" };
const SOURCE: SuiteSource = {
  level: 1,
  problem: 19,
  fileName: "19_ReLU.py",
  source: "import torch\n\n\nclass Model(torch.nn.Module):\n    ...\n",
  inspection: {
    outputs: 2,
    isRandom: false,
    degenerate: null,
    inputBytes: 100,
    parameterBytes: 20,
    outputBytes: 3,
    forwardS: 0.01,
    shrunk: {},
  },
};

const FILES: SuiteProblemFiles = {
  "reference.py": "import model\n",
  "adapter.py": "import submission\n",
  "compiled.py": "\n\n\ndef ModelNew(*arguments):\n    ...\n",
};

describe("the problem of a suite's file", () => {
  test("is named by suite, level and number, and has the suite's targets", () => {
    const { spec } = suiteProblem(SUITE, SOURCE, FILES);
    expect(spec).toMatchObject({ name: "mini-l1-p19", targets: { cpu: {}, H100: {} }, outputs: 2 });
  });

  test("contains the unchanged model, the common Python files and the settings of the model", () => {
    const { files } = suiteProblem(SUITE, SOURCE, FILES);
    expect(Object.keys(files).toSorted()).toEqual([
      "adapter.py",
      "compiled.py",
      "model.py",
      "reference.py",
      "settings.py",
      "task.yml",
    ]);
    expect(files["model.py"]).toBe(SOURCE.source);
    expect(files["settings.py"]).toContain("BYTES = 123\n");
    expect(files["reference.py"]).toBe(FILES["reference.py"]);
    expect(files["adapter.py"]).toBe(FILES["adapter.py"]);
    expect(files["compiled.py"]).toMatch(/^import torch\n\n\nclass Model[^]*def ModelNew/);
  });

  test("tests five inputs on one set of weights, and times another", () => {
    const { spec } = suiteProblem(SUITE, SOURCE, FILES);
    expect(new Set(spec.tests.map(({ seed }) => seed)).size).toBe(5);
    expect(new Set(spec.tests.map(({ weights }) => weights))).toEqual(new Set([1]));
    expect(spec.benchmarks).toEqual([{ weights: 2, seed: 2001 }]);
  });

  test.each([
    ["fp32", 1e-4, "float32"],
    ["fp16", 1e-2, "float16"],
    ["bf16", 1e-2, "bfloat16"],
  ] as const)("in %s tolerates %d", (precision, tolerance, dtype) => {
    const { spec, files } = suiteProblem({ ...SUITE, precision }, SOURCE, FILES);
    expect(spec.tolerance).toMatchObject({ rtol: tolerance, atol: tolerance });
    expect(files["settings.py"]).toContain(`DTYPE = "${dtype}"`);
  });

  test("has less time in the smoke profile", () => {
    expect(suiteProblem(SUITE, SOURCE, FILES).spec.timeoutsS).toMatchObject({
      prepare: 300,
      benchmark: 180,
      ranked: 180,
    });
    const smoke = suiteProblem({ ...SUITE, profile: "smoke" }, SOURCE, FILES).spec.timeoutsS;
    expect(smoke).toMatchObject({ prepare: 60, benchmark: 90, ranked: 90 });
  });

  test("states which sizes were reduced, and that the model is random", () => {
    const inspection = { ...SOURCE.inspection, isRandom: true, shrunk: { batch_size: [4096, 2] as [number, number] } };
    const { spec, files } = suiteProblem(SUITE, { ...SOURCE, inspection }, FILES);
    expect(spec.description).toContain("`batch_size` 4096 to 2");
    expect(spec.description).toContain("random numbers");
    expect(files["settings.py"]).toContain("IS_RANDOM = True");
  });
});
