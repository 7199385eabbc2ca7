import { expect, test } from "vitest";
import { sourceErrors } from "./source-errors.ts";

test("errors of GCC and nvcc are found with their lines, and warnings are not", () => {
  const log = [
    "submission.cpp: In function ‘void custom_kernel()’:",
    "submission.cpp:31:34: error: ‘tile_count’ was not declared in this scope",
    "submission.cpp:44:15: warning: unused variable ‘lane’",
    '/tmp/work/submission.cu(7): error: expected a ";"',
    "task.h:3:1: error: in another file",
  ];
  expect(sourceErrors(log.join("\n"))).toEqual([
    { line: 31, message: "‘tile_count’ was not declared in this scope" },
    { line: 7, message: 'expected a ";"' },
  ]);
});

test("of a traceback, the innermost line of the submission is found", () => {
  const traceback = `Traceback (most recent call last):
  File "submission.py", line 31, in custom_kernel
    return blocked(*data)
  File "submission.py", line 22, in blocked
    torch.add(a, b)
  File "/usr/lib/python3/torch/functional.py", line 5, in add
RuntimeError: The size of tensor a (4097) must match\n`;
  expect(sourceErrors(traceback)).toEqual([{ line: 22, message: null }]);
});

test("a text without a line of the submission has no errors, and only the first of many are returned", () => {
  expect(sourceErrors("Segmentation fault\n")).toEqual([]);
  expect(sourceErrors("submission.cpp:1:1: error: x\n".repeat(100))).toHaveLength(5);
  expect(sourceErrors(`submission.cpp:1:1: ${"error: ".repeat(1e6)}`)).toHaveLength(1);
});
