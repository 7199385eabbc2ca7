/** Solutions of entries that were not submitted as such. */
import { expect, test } from "vitest";
import type { DescribedValue } from "@kernelbot/core";
import { derivedDocuments } from "./derived-documents.ts";
import { exportedEntry } from "@kernelbot/testing/cli/exported-entry.ts";
import { problem } from "@kernelbot/testing/cli/samples.ts";
import { exportedSolution } from "./export-solution.ts";

const HEADER = "#pragma once\n";
const TASK_H = "void custom_kernel(kernelbot::Tensor<const float, 1> a, kernelbot::Tensor<float, 1> c);\n";

function documents() {
  const judged = problem({});
  judged.spec.tolerance = { rtol: 0, atol: 0, reason: "" };
  const { tests, benchmarks } = { tests: judged.spec.tests, benchmarks: judged.spec.benchmarks };
  const own = judged.spec.targets["cpu"];
  const count = (own?.tests ?? tests).length + (own?.benchmarks ?? benchmarks).length;
  const vector: DescribedValue = { dtype: "float32", shape: [4096], isNormal: true, base64: null };
  const cases = Array.from({ length: count }, () => [vector, vector, vector]);
  const names = ["a", "b", "c"];
  return derivedDocuments({ problem: judged, target: "cpu", names, cases, reference: () => "def run(a, b): ...\n" });
}

test("a kernel in Python becomes a package whose run writes the output buffers and returns nothing", () => {
  const { spec, sources, author, name } = exportedSolution(exportedEntry(), documents(), HEADER);
  expect({ author, name }).toEqual({ author: "Ada-Lovelace-", name: "vectoradd-Ada-Lovelace--12" });
  expect(spec).toMatchObject({ language: "python", entry_point: "main.py::run", destination_passing_style: true });
  const main = sources.find(({ path }) => path === "main.py")?.content ?? "";
  expect(main).toContain("def run(a, b, c):");
  expect(main).not.toContain("return buffers");
  expect(sources.map(({ path }) => path)).toEqual(["kernel.py", "task.py", "main.py"]);
});

test("a kernel in C++ is bound to PyTorch, and finds its headers next to it", () => {
  const judged = problem({ "task.h": TASK_H });
  const source = "#include <kernelbot.h>\n# include <vector>\n#include <task.h>\n";
  const entry = exportedEntry({ source, fileName: "kernel.cpp", problem: judged });
  const { spec, sources } = exportedSolution(entry, documents(), HEADER);
  expect(spec).toMatchObject({ language: "cpp", binding: "torch", entry_point: "csrc/binding.cpp::run" });
  expect(sources[0]).toEqual({
    path: "csrc/kernel.cpp",
    content: '#include "kernelbot.h"\n# include <vector>\n#include "task.h"\n',
  });
});
