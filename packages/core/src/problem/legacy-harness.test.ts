import { expect, test } from "vitest";
import { directoryFiles, readProblem, type DirectoryFile } from "./directory.ts";
import { oldMeanings } from "./old-form.ts";
import { problemVersion } from "./problem.ts";

const TASK = `
files:
  - {"name": "submission.py", "source": "@SUBMISSION@"}
  - {"name": "task.py", "source": "task.py"}
  - {"name": "utils.py", "source": "../utils.py"}
  - {"name": "eval.py", "source": "../eval.py"}
lang: "py"
description: "Adds."
config: {main: "eval.py"}
templates: {Python: "../template.py"}
tests: [{"size": 127, "seed": 4242}]
benchmarks: [{"size": 1024, "seed": 1}, {"size": 2048, "seed": 2}]
test_timeout: 600
ranking_by: "geom"
gpus: [H100]
seed: 7
libraries: [numpy]
multi_gpu: false
`;
const TEXTS: Record<string, string> = {
  "task.py": "# types",
  "../utils.py": "# utils",
  "../eval.py": "# harness",
  "../template.py": "# starter",
};

const file = (name: string, text: string): DirectoryFile => ({
  name,
  sizeBytes: text.length,
  read: () => Promise.resolve(new TextEncoder().encode(text)),
});
const read = (task = TASK, texts = TEXTS) =>
  readProblem("vectoradd", [file("task.yml", task), file("notes.md", "# Not of the problem")], (path) => {
    const text = texts[path];
    return Promise.resolve(text === undefined ? null : file(path, text));
  });

test("an existing problem directory is read unchanged, its files by the names in task.yml", async () => {
  const { spec, files } = await read();
  expect(spec).toMatchObject({
    harness: "legacy",
    main: "eval.py",
    submissionName: "submission.py",
    templates: { Python: "# starter" },
    timeoutsS: { test: 600, ranked: 180 },
    rankingBy: "geom",
    targets: { H100: {} },
  });
  expect(spec.benchmarks).toHaveLength(2);
  expect(files).toEqual({ "task.yml": TASK, "task.py": "# types", "utils.py": "# utils", "eval.py": "# harness" });
});

test("a problem may share files with others, and directoryFiles restores their paths", async () => {
  const task = `
description: d
files: [{ name: utils.py, source: ../utils.py }]
tests: [{ n: 1 }]
benchmarks: [{ n: 1 }]
gpus: [cpu]
`;
  const own = [file("task.yml", task), file("reference.py", "# reference")];
  const load = (listing: DirectoryFile[], texts = TEXTS) =>
    readProblem("shares", listing, (path) => {
      const text = texts[path];
      return Promise.resolve(text === undefined ? null : file(path, text));
    });
  const problem = await load(own);
  expect(problem.spec.harness).toBe("judge");
  expect(problem.files).toMatchObject({ "utils.py": "# utils", "reference.py": "# reference" });
  expect(Object.fromEntries(directoryFiles(problem))).toEqual({
    "task.yml": task,
    "reference.py": "# reference",
    "../utils.py": "# utils",
  });
  await expect(load([...own, file("utils.py", "# another")])).rejects.toThrow('"utils.py" is also in the directory');
  await expect(load(own, {})).rejects.toThrow('the file "../utils.py" does not exist below the root of the problems');
});

test("a problem written to the paths of directoryFiles reads as the same version", async () => {
  const problem = await read();
  const { "task.yml": task, ...texts } = Object.fromEntries(directoryFiles(problem));
  expect(texts).toEqual(TEXTS);
  expect(await problemVersion(await read(task, texts))).toBe(await problemVersion(problem));
});

test("a harness is given only the last benchmark if only that one counts", async () => {
  const task = TASK.replace('ranking_by: "geom"', "").replace(
    "gpus: [H100]",
    "targets: {cpu: {benchmarks: [{n: 1}, {n: 2}]}}",
  );
  const { spec } = await read(task);
  expect(spec.benchmarks).toEqual([{ size: 2048, seed: 2 }]);
  expect(spec.targets.cpu?.benchmarks).toEqual([{ n: 2 }]);
});

test("a change in a shared file gives the problem a new version", async () => {
  const version = await problemVersion(await read());
  expect(await problemVersion(await read())).toBe(version);
  expect(await problemVersion(await read(TASK, { ...TEXTS, "../eval.py": "# better" }))).not.toBe(version);
});

test("an empty list of templates is valid", async () => {
  expect((await read(TASK.replace(/templates.*/, "templates:"))).spec.templates).toEqual({});
});

test.each([
  [
    "several devices without their number",
    TASK.replace("multi_gpu: false", "multi_gpu: true"),
    /multi_gpu: give every case a world_size/,
  ],
  ["files without a harness", TASK.replace(/config.*/, ""), /config: name the listed file that is the harness/],
  ["a harness without files", TASK.replace(/files:[^]*lang/, "lang"), /files: list what "eval\.py" needs/],
  [
    "a harness that is not among the files",
    TASK.replace('main: "eval.py"', "main: other.py"),
    /"other\.py" is not one of/,
  ],
  [
    "a value that separates parameters",
    TASK.replace('"seed": 4242', '"label": "mask; seed: 1"'),
    /the value "mask; seed: 1" of label contains a semicolon/,
  ],
  ["no place for the submission", TASK.replace("@SUBMISSION@", "task.py"), /0 files have the source @SUBMISSION@/],
  [
    "a name that leads out",
    TASK.replace('"name": "task.py"', '"name": "../task.py"'),
    /"\.\.\/task\.py" is outside the problem/,
  ],
  ["a name that occurs twice", TASK.replace('"name": "task.py"', '"name": "eval.py"'), /"eval\.py" occurs twice/],
  [
    "a file that is not there",
    TASK.replace('"../utils.py"', '"../gone.py"'),
    /the file "\.\.\/gone\.py" does not exist/,
  ],
])("%s: the error names the key", async (_, task, message) => {
  await expect(read(task)).rejects.toThrow(message);
});

test("a multi-GPU harness needs as many devices as its largest case", async () => {
  const task = TASK.replace("multi_gpu: false", "multi_gpu: true")
    .replace('"size": 127', '"size": 127, "world_size": 1')
    .replace('"size": 1024', '"size": 1024, "world_size": 8')
    .replace('"size": 2048', '"size": 2048, "world_size": 4');
  expect((await read(task)).spec).toMatchObject({ harness: "legacy", worldSize: 8, targets: { H100: {} } });
});

const CUDA = `
files:
  - {"name": "eval.cu", "source": "../eval.py"}
  - {"name": "task.h", "source": "task.py"}
  - {"name": "submission.cu", "source": "@SUBMISSION@"}
lang: "cu"
description: "Adds."
config:
  sources: ["eval.cu", "submission.cu"]
  include_dirs: ["/opt/kernels/include"]
  defines: {FAST: 1, PLAIN: }
  compile_flags: ["-lineinfo"]
tests: [{"size": 127, "seed": 4242}]
benchmarks: [{"size": 1024, "seed": 1}]
gpus: [H100]
`;

test("a CUDA C++ harness has build settings and accepts CUDA C++", async () => {
  expect((await read(CUDA)).spec).toMatchObject({
    lang: "cu",
    languages: { cu: { flags: [] } },
    harness: "legacy",
    main: null,
    submissionName: "submission.cu",
    build: {
      sources: ["eval.cu", "submission.cu"],
      includeDirs: ["/opt/kernels/include"],
      defines: ["FAST=1", "PLAIN"],
      flags: ["-lineinfo"],
    },
  });
});

test.each([
  ["nothing to compile", CUDA.replace(/ +sources.*/, ""), /config: with lang cu, name the files to compile/],
  [
    "a source that is not there",
    CUDA.replace('["eval.cu"', '["other.cu"'),
    /config\.sources: "other\.cu" is not one of/,
  ],
  ["no place for the submission", CUDA.replace("@SUBMISSION@", "task.py"), /lang: cu is for a harness in C\+\+/],
  [
    "sources of a harness in Python",
    CUDA.replace('lang: "cu"', ""),
    /config: name the listed file that is the harness/,
  ],
])("%s: the error of a compiled harness names the key", async (_, task, message) => {
  await expect(read(task)).rejects.toThrow(message);
});

test("a file of the old form is read as YAML 1.1, and each difference from YAML 1.2 is named with its line", async () => {
  const task = TASK.replace(/^tests:.*$/m, "tests: [{has_bias: no, size: 1_024, seed: 010}]");
  const { spec } = await read(task);
  expect(spec.tests).toEqual([{ has_bias: false, size: 1024, seed: 8 }]);
  expect(oldMeanings(task)).toEqual([
    expect.stringMatching(/^has_bias: no is false in YAML 1\.1 .* \(line \d+\)$/),
    expect.stringMatching(/^size: 1_024 is 1024 in YAML 1\.1 /),
    expect.stringMatching(/^seed: 010 is 8 in YAML 1\.1 /),
  ]);
  expect(oldMeanings(TASK)).toEqual([]);
});

test("a number with an exponent is text in the cases of a harness, and a number at keys that only KernelBot reads", async () => {
  const task = `${TASK.replace(/^tests:.*$/m, "tests: [{scale: 1e-3}]")}tolerance: {rtol: 1e-5, atol: 1e-5, reason: sums}\n`;
  const { spec } = await read(task);
  expect(spec).toMatchObject({ tests: [{ scale: "1e-3" }], tolerance: { rtol: 1e-5, atol: 1e-5 } });
  expect(oldMeanings(task)).toEqual([expect.stringMatching(/^scale: 1e-3 is "1e-3" in YAML 1\.1 and 0\.001 /)]);
});
