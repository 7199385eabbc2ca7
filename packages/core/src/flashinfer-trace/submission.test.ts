import { expect, test } from "vitest";
import { Solution } from "./solution.ts";
import { solutionFromSubmission, solutionToSubmission } from "./submission.ts";

const SPEC = {
  language: "python",
  target_hardware: ["cpu"],
  entry_point: "main.py::run",
  destination_passing_style: false,
};

function solution(sources: { path: string; content: string }[], spec: object = SPEC): Solution {
  return Solution.parse({
    name: "v  1",
    definition: "Scale Rows",
    author: "me",
    description: 'It\'s "fast".',
    spec,
    sources,
  });
}

test("one Python source is the submission itself, below its directives", () => {
  const text = solutionToSubmission(solution([{ path: "main.py", content: "def run(x):\n    return x\n" }]));
  expect(text.split("\n")).toEqual([
    "#!KERNELBOT board scale-rows",
    expect.stringMatching(/^#!KERNELBOT solution \{"name":"v {2}1",/),
    "def run(x):",
    "    return x",
    "",
  ]);
});

test.each([
  ["one source", [{ path: "main.py", content: "def run(x):\r\n    return x" }], SPEC],
  ["a source with a directive", [{ path: "main.py", content: "#!KERNELBOT target H100\ndef run(x): ...\n" }], SPEC],
  [
    "several sources with unusual characters",
    [
      { path: "main.py", content: 'from . import b\n\n"""\\ \u2028 \'\'\' 😀"""\n' },
      { path: "p/b.py", content: "\n" },
    ],
    SPEC,
  ],
  [
    "C++",
    [{ path: "main.cpp", content: '#include <torch/extension.h>\n#define A "b" \\\n' }],
    { ...SPEC, language: "cpp", entry_point: "main.cpp::run", binding: "torch", compile_options: { cflags: ["-O3"] } },
  ],
])("a solution with %s is the same after its conversion to a submission and back", (_, sources, spec) => {
  const before = solution(sources, spec);
  expect(solutionFromSubmission(solutionToSubmission(before), "kernel.py")).toEqual(before);
});

test("a solution that the judge cannot build is refused", () => {
  const sources = [{ path: "main.cu", content: "x" }];
  expect(() =>
    solutionToSubmission(solution(sources, { ...SPEC, language: "cuda", entry_point: "main.cu::run" })),
  ).toThrow("spec.binding: tvm-ffi cannot be built by the judge");
});

test.each([
  ["def run(x): ...", 'it has no directive "#!KERNELBOT solution"'],
  ["#!KERNELBOT solution {", "is not a JSON object"],
  ['#!KERNELBOT solution {"path": "main.py"}\nx', "kernel.py: name: is missing"],
  ['#!KERNELBOT solution {}\nSOURCES = {\n    "a.py": open("x"),\n}', "line 4 is not part of SOURCES"],
])("the submission %j is not a valid solution", (source, why) =>
  expect(() => solutionFromSubmission(source, "kernel.py")).toThrow(why),
);
