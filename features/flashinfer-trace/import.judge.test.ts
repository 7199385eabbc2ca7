/** Imported FlashInfer Trace definitions with the real judge. */
import { join } from "node:path";
import { loadProblemDirectory, startTester, type Tester } from "@kernelbot/tester";
import { solutionToSubmission, Solution, type Problem } from "@kernelbot/core";
import { workshop } from "@kernelbot/testing/cli/kernelbot.ts";
import { scaleSolution, TWO_SOURCES, writeDataSet } from "@kernelbot/testing/flashinfer-trace.ts";
import { afterAll, beforeAll, expect, test } from "vitest";

const place = workshop();
let tester: Tester;
let scale: Problem;
let ragged: Problem;

beforeAll(async () => {
  writeDataSet(join(place.folder, "data"));
  const { code, err } = await place.kernelbot(["problem", "import", "data", "--out", "root/set"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  scale = await loadProblemDirectory(join(place.folder, "root/set/scale_rows_k64"));
  ragged = await loadProblemDirectory(join(place.folder, "root/set/ragged-sum-v1"));
  tester = await startTester();
});
afterAll(async () => {
  await tester.close();
  place[Symbol.dispose]();
});

async function judged(problem: Problem, source: string, mode: "test" | "benchmark" = "test"): Promise<string> {
  const { verdict, failureClass, message } = await tester.run(
    { type: "run", id: "1", mode, target: "cpu", problem, source },
    () => undefined,
  );
  return [verdict, ...(failureClass === null ? [] : [failureClass, message])].join(": ");
}

const solution = (changes: Parameters<typeof scaleSolution>[0]): string =>
  solutionToSubmission(Solution.parse(scaleSolution(changes)));

test.each([
  ["writes its output", {}],
  [
    "has two files and returns a dictionary",
    { spec: { entry_point: "package/main.py::run", destination_passing_style: false }, sources: TWO_SOURCES },
  ],
])("a solution that %s passes", async (_, changes) => {
  expect(await judged(scale, solution(changes))).toBe("passed");
});

test("a solution in C++ is built as an extension of PyTorch", async () => {
  const content = `#include <torch/extension.h>
void run(torch::Tensor x, double s, torch::Tensor y) { torch::mul_out(y, x, torch::full({}, s)); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
`;
  const spec = { language: "cpp", binding: "torch", entry_point: "kernel/main.cpp::run" };
  expect(await judged(scale, solution({ spec, sources: [{ path: "kernel/main.cpp", content }] }))).toBe("passed");
});

test("a scalar is the float that the workload has, and a kernel of our own form passes the timed stage", async () => {
  const source = "def custom_kernel(data):\n    x, s, y = data\n    assert type(s) is float\n    y.copy_(x * s)\n";
  expect(await judged(scale, source, "benchmark")).toBe("passed");
});

test.each([
  ["leaves out 1 % of the elements", "    y.copy_(x * s)\n    y.view(-1)[: y.numel() // 100] = 0\n"],
  ["is 9 % too large", "    y.copy_(x * s * 1.09)\n"],
  ["has infinity in one element", "    y.copy_(x * s)\n    y[0, 0] = float('inf')\n"],
  ["is all zero", "    y.zero_()\n"],
])("an output that %s is incorrect", async (_, body) => {
  expect(await judged(scale, `def run(x, s, y):\n${body}`)).toMatch(/^failed: wrong_result: .*output y: /);
});

test("stored tensors, functions that make inputs, expressions and two outputs are judged", async () => {
  const template = ragged.spec.templates["Python"] ?? "";
  expect(await judged(ragged, template, "benchmark")).toBe("passed");
  const wrong = template.replace("return sums, counts", "return sums, counts + 1");
  expect(await judged(ragged, wrong)).toMatch(/output counts: 0 % of the elements are equal; at least 100 % must be/);
});

test("a submission without an entry point is a compile error that names it", async () => {
  expect(await judged(scale, "x = 1\n")).toContain(
    "compile_error: submission.py defines neither custom_kernel(data) nor",
  );
});

test("a solution is judged by its JSON document, and the imported problem has no errors in its examples", async () => {
  const file = place.file("solution.json", JSON.stringify(scaleSolution()));
  const evaluated = await place.kernelbot(["eval", file, "--problem", "root/set/scale_rows_k64"]);
  expect(evaluated.out).toContain("cpu  passed");
  const checked = await place.kernelbot(["problem", "check", "root/set/scale_rows_k64"]);
  expect(checked.out).toContain("1 problem: no errors");
});
