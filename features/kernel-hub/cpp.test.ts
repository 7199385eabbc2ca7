/** Repositories and packages of kernels in C++ and CUDA. */
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { exportedEntry, type ExportedEntryOptions } from "@kernelbot/testing/cli/exported-entry.ts";
import { problem } from "@kernelbot/testing/cli/samples.ts";
import { cppParameters } from "@kernelbot/cli/src/kernel-export/cpp-signature.ts";
import { kernelNames } from "./names.ts";
import { pythonPackage } from "./package.ts";
import { sourceRepository } from "./source-repository.ts";

const DECLARATION = `// void custom_kernel(int none);
#include <kernelbot.h>
void custom_kernel(kernelbot::Tensor<const kernelbot::half, 2> a, /* rows */ std::int64_t rows,
                   float scale, bool causal, Tensor<float> out);
`;
const NAMES = kernelNames("vector_add", undefined);

function entry(target: "cpu" | "H100" = "cpu") {
  const options: ExportedEntryOptions = {
    source: '#include "task.h"\n',
    fileName: target === "cpu" ? "kernel.cpp" : "kernel.cu",
    problem: problem({ "task.h": DECLARATION, "more.h": "// more\n" }),
    target,
  };
  return exportedEntry(options);
}

test("reads tensors, numbers and names from the declaration", () => {
  expect(cppParameters(DECLARATION)).toMatchObject([
    { name: "a", schema: "Tensor", view: "const kernelbot::half, 2", isWritten: false },
    { name: "rows", schema: "int", cpp: "int64_t " },
    { name: "scale", schema: "float", cpp: "double " },
    { name: "causal", schema: "bool", cpp: "bool " },
    { name: "out", schema: "Tensor", view: "float, 1", isWritten: true },
  ]);
  expect(cppParameters("void custom_kernel(kernelbot::Tensor<float>);")).toMatchObject([{ name: "input_0" }]);
});

test("a declaration that is missing, or has other types, is refused by name", () => {
  expect(() => cppParameters("void other();")).toThrow("task.h does not declare void custom_kernel");
  expect(() => cppParameters("void custom_kernel(const std::vector<int> &m);")).toThrow(
    'the parameter "const std::vector<int> &m"; only kernels that take tensors and numbers',
  );
});

test("a kernel in CUDA becomes a source repository whose build.toml lists existing files only", () => {
  const files = sourceRepository(entry("H100"), NAMES, 1, "// kernelbot.h\n");
  const build = parse(files.get("build.toml") ?? "") as Record<string, Record<string, unknown>>;
  expect(build).toEqual({
    general: { name: "vector-add", version: 1, edition: 5, license: "mit", backends: ["cuda"] },
    torch: {
      src: ["torch-ext/torch_binding.cpp", "csrc/kernelbot.h", "csrc/task.h", "csrc/more.h"],
      include: ["csrc"],
    },
    kernel: {
      vector_add: {
        ...{ backend: "cuda", depends: ["torch"], include: ["csrc"], "cuda-capabilities": ["9.0"] },
        src: ["csrc/kernel.cu", "csrc/kernelbot.h", "csrc/task.h", "csrc/more.h"],
        "cuda-flags": ["-std=c++20", "-O3"],
      },
    },
  });
  for (const path of ["csrc/kernel.cu", "csrc/kernelbot.h", "csrc/task.h", "csrc/more.h", "flake.nix", "LICENSE"]) {
    expect(files.has(path), path).toBe(true);
  }
});

test("the binding of a source repository is an operator that declares what it writes", () => {
  const files = sourceRepository(entry("H100"), NAMES, 1, "");
  const binding = files.get("torch-ext/torch_binding.cpp") ?? "";
  expect(binding).toContain('#include "registration.h"');
  expect(binding).toContain(
    'ops.def("vector_add(Tensor a, int rows, float scale, bool causal, Tensor(a4!) out) -> ()");',
  );
  expect(binding).toContain('ops.impl("vector_add", c10::kCUDA, &call);');
  expect(binding).toContain(
    'custom_kernel(view<const kernelbot::half, 2>(a, "a"), rows, scale, causal, view<float, 1>(out, "out"));',
  );
  expect(files.get("torch-ext/vector_add/__init__.py")).toContain("def vector_add(a, rows, scale, causal, out):");
});

test("the template of the card hides the problem's text from Jinja", () => {
  const card = sourceRepository(entry(), NAMES, 1, "").get("CARD.md") ?? "";
  expect(card).toMatch(/^---\nlibrary_name: kernels\n[^{]*---\n\n\{% raw %\}\n# vector-add\n[\s\S]*\{% endraw %\}\n$/);
});

test("the package of a kernel in C++ compiles it with the problem's flags", () => {
  const files = pythonPackage(entry(), NAMES, "");
  expect(files.get("setup.py")).toContain('FLAGS = ["-std=c++20","-O3","-fopenmp"]');
  expect(files.get("csrc/binding.cpp")).toContain('module.def("vector_add", &call);');
  const project = parse(files.get("pyproject.toml") ?? "") as { project: unknown };
  expect(project.project).toMatchObject({ name: "vector-add", license: { text: "MIT" }, dependencies: ["torch"] });
});

test("the package of a kernel in Python depends on what it imports, NumPy included", () => {
  const source = "import numpy as np\n\n\ndef custom_kernel(data):\n    return data[-1]\n";
  const files = pythonPackage(exportedEntry({ source }), kernelNames("vectoradd", undefined), "");
  const project = parse(files.get("pyproject.toml") ?? "") as { project: unknown };
  expect(project.project).toMatchObject({ dependencies: ["torch", "numpy"] });
  expect(files.get("src/vectoradd/kernel.py")).toBe(source);
  expect(files.get("README.md")).toMatch(/^# vectoradd\n/);
});
