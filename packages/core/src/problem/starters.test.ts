import { expect, test } from "vitest";
import { parseProblem } from "./problem.ts";
import { startersOf } from "./starters.ts";

const TASK = `
description: Adds.
tests: [{ size: 1 }]
benchmarks: [{ size: 2 }]
targets: { cpu: {} }
`;

function starters(task: string, files: Record<string, string> = {}) {
  return startersOf(parseProblem("add", { "task.yml": TASK + task, "reference.py": "", ...files }));
}

test("each template is a starter named by its language, with a directive for its board", () => {
  const files = { "a.py": "a\n", "b.py": "#!KERNELBOT board other\n", "c.cpp": "c\n", "task.h": "" };
  const templates = "languages: { py: , cpp: }\ntemplates: { Python: a.py, Triton 3: b.py, C++: c.cpp }";
  expect(starters(templates, files)).toEqual([
    { name: "Python", language: "py", fileName: "kernel.py", source: "#!KERNELBOT board add\na\n" },
    { name: "Triton 3", language: "py", fileName: "kernel_triton3.py", source: "#!KERNELBOT board other\n" },
    { name: "C++", language: "cpp", fileName: "kernel.cpp", source: "//!KERNELBOT board add\nc\n" },
  ]);
});

test("a file that is the template of two languages is a single starter", () => {
  const templates = "templates: { Python: a.py, CUDA: b.py, HIP: b.py }";
  expect(starters(templates, { "a.py": "a\n", "b.py": "b\n" })).toMatchObject([
    { name: "Python", fileName: "kernel.py" },
    { name: "CUDA and HIP", fileName: "kernel_cuda.py" },
  ]);
});

test("a Python problem without a template has a starter with an empty function", () => {
  const [starter] = starters("");
  expect(starter).toMatchObject({ name: "Python", fileName: "kernel.py" });
  expect(starter?.source).toContain("def custom_kernel(data):");
});

test("a template in a language that the problem does not accept is ignored", () => {
  expect(starters("templates: { C++: c.cpp }", { "c.cpp": "c\n" })).toMatchObject([{ fileName: "kernel.py" }]);
});
