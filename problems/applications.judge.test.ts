/**
 * Applications of the shipped problems: correct kernels are validated, and kernels that pass a ranked run but fail in use
 * are not, each for its own reason. A kernel that keeps the address of its output buffer fails ranked runs already
 * (`tester/attacks/captured_buffer.py`).
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { languageOf, type RunMode, type VerdictEvent } from "@kernelbot/core";
import { loadProblemDirectory, startTester } from "@kernelbot/tester";
import { sample } from "@kernelbot/testing/sample.ts";
import { afterAll, expect, test } from "vitest";

/** Correct kernels, by problem. */
const CORRECT = [
  ["deepseek/mla-decode", "correct_bfloat16.py"],
  ["linalg/cholesky", "fast_rows.cpp"],
  ["pmpp/conv2d", "fast_blocks.cpp"],
  ["pmpp/histogram", "fast_tables.cpp"],
] as const;

/** Kernels that fail in use: the problem, the example, and the verdict of at least one case. */
const FAILING = [
  ["deepseek/mla-decode", "wrong_in_use_overflow.py", "unstable"],
  ["linalg/cholesky", "wrong_in_use_half.py", "unstable"],
  ["linalg/cholesky", "wrong_in_use_inverse.py", "unstable"],
  ["linalg/cholesky", "wrong_in_use_single.py", "inaccurate"],
  ["pmpp/conv2d", "wrong_in_use_border.py", "inaccurate"],
  ["pmpp/conv2d", "wrong_in_use_filters.py", "inaccurate"],
  ["pmpp/conv2d", "wrong_in_use_subnormal.cpp", "timed_out"],
  ["pmpp/conv2d", "wrong_in_use_truncated.py", "drifts"],
  ["pmpp/histogram", "wrong_in_use_counters.py", "inaccurate"],
  ["pmpp/histogram", "wrong_in_use_ranked_sizes.py", "inaccurate"],
  ["pmpp/histogram", "wrong_in_use_remainder.py", "inaccurate"],
  ["pmpp/histogram", "wrong_in_use_remembered.py", "inaccurate"],
] as const;

/** Limit of the stage `application` for a kernel that never ends, in seconds. */
const HANGING_S = 5;

const tester = await startTester({});
afterAll(() => tester.close());

/** Judges a kernel. `timeoutS`: limit of the stage `application` instead of the problem's. */
async function judge(problem: string, name: string, mode: RunMode, timeoutS?: number): Promise<VerdictEvent> {
  const directory = join(import.meta.dirname, problem);
  const { spec, files } = await loadProblemDirectory(directory);
  const application = spec.application && { ...spec.application, timeoutS: timeoutS ?? spec.application.timeoutS };
  const job = {
    type: "run",
    id: name,
    mode,
    target: "cpu",
    problem: { spec: { ...spec, application }, files },
  } as const;
  const source =
    name === "reference.py"
      ? `${files["reference.py"]}\ncustom_kernel = ref_kernel\n`
      : await readFile(join(directory, "solutions", name), "utf8");
  return tester.run({ ...job, source, language: languageOf(name) ?? "py" }, () => undefined);
}

const problems = [...new Set(CORRECT.map(([problem]) => problem))];
test.each(sample(problems, { share: 0.5 }))("the reference of %s is validated", async (problem) => {
  const { validation, message } = await judge(problem, "reference.py", "application");
  expect(validation?.state, message ?? "").toBe("validated");
});

test.each(sample(CORRECT, { share: 0.5 }))("a correct kernel of %s is validated: %s", async (problem, name) => {
  const { validation, message } = await judge(problem, name, "application");
  expect(validation?.state, message ?? "").toBe("validated");
});

test("a kernel that is slower for small inputs is validated and marked", async () => {
  const { validation, message } = await judge("linalg/cholesky", "correct_small.py", "application");
  expect(validation?.state, message ?? "").toBe("validated");
  expect(validation?.cases.map(({ slower }) => slower)).toContain(true);
});

test.each(sample(FAILING, { share: 0.25, group: ([problem]) => problem }))(
  "a kernel of %s passes a ranked run and fails in use: %s, %s",
  async (problem, name, verdict) => {
    expect(await judge(problem, name, "ranked")).toMatchObject({ verdict: "passed", message: null });
    const limit = verdict === "timed_out" ? HANGING_S : undefined;
    const { validation } = await judge(problem, name, "application", limit);
    expect(validation?.state).toBe("not_validated");
    expect(validation?.cases.map((each) => each.verdict)).toContain(verdict);
  },
);
