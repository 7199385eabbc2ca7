import { expect, test } from "vitest";
import { KernelBotError } from "../errors.ts";
import { caseLine } from "../vocabulary/case-line.ts";
import { parseProblem, problemVersion } from "./problem.ts";
import { applicationCases, casesFor, weightsFor } from "../vocabulary/specification.ts";

const TASK = `
description: Add two vectors.
tests: [{size: 127, seed: 1}]
benchmarks: [{size: 1024, seed: 2}]
targets: {cpu: {benchmarks: [{size: 64, seed: 3}]}, H100: }
tolerance: {rtol: 0, atol: 0, reason: Addition is exact.}
`;
const files = (task: string) => ({ "task.yml": task, "reference.py": "" });

test("a target may have its own benchmarks, and otherwise uses the problem's", () => {
  const { spec } = parseProblem("vectoradd", files(TASK));
  expect(casesFor(spec, "cpu").benchmarks).toEqual([{ size: 64, seed: 3 }]);
  expect(casesFor(spec, "H100").benchmarks).toEqual([{ size: 1024, seed: 2 }]);
});

test("an application is run at each benchmark of the target, once where only the seed differs", () => {
  const application = { cases: [{ size: 3, seed: 1 }], atBenchmarks: { steps: 5, contention: 0 } };
  const benchmarks = [
    { size: 64, contention: 10, seed: 2 },
    { size: 64, contention: 90, seed: 3 },
    { size: 96, contention: 10, seed: 4 },
  ];
  expect(applicationCases(application, benchmarks)).toEqual([
    { size: 3, seed: 1 },
    { size: 64, contention: 0, steps: 5, seed: 3 },
    { size: 96, contention: 0, steps: 5, seed: 4 },
  ]);
  expect(applicationCases({ cases: application.cases }, benchmarks)).toEqual(application.cases);
});

test("weights apply to the benchmarks next to which they are declared", () => {
  const task = TASK.replace("H100: }", "H100: , A100: {weights: [5]}}");
  const { spec } = parseProblem("p", files(`${task}ranking_by: mean\nweights: [2]\n`));
  expect(["H100", "A100", "cpu"].map((target) => weightsFor(spec, target))).toEqual([[2], [5], undefined]);
});

test.each([
  ["weights: [1, 2]\nranking_by: mean", "weights: 2 for 1 benchmarks; write one weight for each, in their order"],
  ["weights: [1]", "weights cannot be combined with ranking_by: last, which counts one benchmark only"],
  ["weights: [0]\nranking_by: mean", "weights.0: Too small: expected number to be >0"],
])("weights that cannot apply are refused with their field: %s", (line, message) => {
  expect(() => parseProblem("p", files(`${TASK}${line}\n`))).toThrow(`problem "p": task.yml: ${message}`);
});

test("the error of an invalid problem names all of its faults", () => {
  const task = `${TASK.replace(/targets.*/, "")}templates: { Python: gone.py }`;
  expect(() => parseProblem("p", { "task.yml": task })).toThrow(
    /^problem "p": reference.py is missing; task.yml: targets: .*; task.yml: templates.Python: the file "gone.py" does not exist$/,
  );
});

test.each([
  ["Notes.md", "notes.md"],
  ["caf\u00e9.md", "cafe\u0301.md"],
])("files that another file system stores as one are refused: %j and %j", (one, other) => {
  expect(() => parseProblem("p", { ...files(TASK), [one]: "", [other]: "" })).toThrow(
    `the names ${JSON.stringify(one)} and ${JSON.stringify(other)} are the same on other file systems: rename one`,
  );
});

test("the list gpus of existing problems names their targets", () => {
  const { spec } = parseProblem("p", files(TASK.replace(/targets.*/, "gpus: [H100, A100]")));
  expect(Object.keys(spec.targets)).toEqual(["H100", "A100"]);
});

test("rounds of isolated calls are the default, and a problem may choose otherwise", () => {
  expect(parseProblem("p", files(TASK)).spec.stop).toBe("rounds");
  expect(parseProblem("p", files(`${TASK}stop: paper`)).spec.stop).toBe("paper");
  expect(parseProblem("p", files(TASK)).spec.regime).toBe("isolated");
  expect(parseProblem("p", files(`${TASK}regime: sustained`)).spec.regime).toBe("sustained");
});

test("the timeout of a profile defaults to that of a benchmark", () => {
  const profileOf = (task: string) => parseProblem("p", files(TASK + task)).spec.timeoutsS.profile;
  expect([profileOf(""), profileOf("benchmark_timeout: 20"), profileOf("profile_timeout: 30")]).toEqual([180, 20, 30]);
});

test("a problem states which lower precision it accepts", () => {
  const spec = (task: string) => parseProblem("p", files(TASK + task)).spec;
  expect(spec("lower_precision: {results: bfloat16 is enough}").lowerPrecision).toEqual({
    results: "bfloat16 is enough",
  });
  expect(spec("")).not.toHaveProperty("lowerPrecision");
});

test("a problem states which structure of inputs is deliberate", () => {
  const spec = (task: string) => parseProblem("p", files(TASK + task)).spec;
  expect(spec("input_structure: {symmetry: as described}").inputStructure).toEqual({ symmetry: "as described" });
  expect(spec("")).not.toHaveProperty("inputStructure");
});

const RANKED = `${TASK.replaceAll("{size: ", "{world_size: 4, size: ")}multi_gpu: true`;

test("the number of ranks of a multi-GPU problem is the world_size of its cases", () => {
  expect(parseProblem("p", files(RANKED)).spec.worldSize).toBe(4);
  expect(parseProblem("p", files(TASK)).spec).not.toHaveProperty("worldSize");
});

test("a target with its own cases may have another number of ranks", () => {
  const own = "cpu: {tests: [{world_size: 2, seed: 1}], benchmarks: [{world_size: 2, seed: 1}]}";
  const { spec } = parseProblem("p", files(RANKED.replace(/cpu: .*\]\}/, own)));
  expect(spec.worldSize).toBe(4);
  expect(spec.targets["cpu"]?.worldSize).toBe(2);
  expect(spec.targets["H100"]).toEqual({});
});

test.each([
  ["ranks without their number", `${TASK}multi_gpu: true`, /world_size/],
  ["a number of ranks that differs", RANKED.replace("world_size: 4", "world_size: 8"), /the same world_size/],
  [
    "a target with cases of its own that differ from the problem's tests",
    RANKED.replace("world_size: 4, size: 64", "world_size: 2, size: 64"),
    /every case of target cpu the same world_size/,
  ],
  ["a single rank", RANKED.replaceAll("world_size: 4", "world_size: 1"), /from 2 to 16/],
  ["ranks without a tolerance", RANKED.replace(/tolerance.*/, ""), /multi_gpu: give a tolerance/],
  ["a rule of stopping that is none", `${TASK}stop: never`, /stop/],
  ["an unknown regime", `${TASK}regime: warm`, /regime/],
  [
    "calls without a pause by the rule of the paper",
    `${TASK}stop: paper\nregime: sustained`,
    /regime: sustained cannot be combined with stop: paper/,
  ],
  ["an unknown key", TASK.replace("description", "descripton"), /descripton/],
  ["no tests", TASK.replace(/tests.*/, ""), /tests/],
  ["no target", TASK.replace(/targets.*/, ""), /name at least one target/],
  ["a tolerance without its reason", TASK.replace(/, reason[^}]*/, ""), /tolerance\.reason/],
  ["a lower precision without its reason", `${TASK}lower_precision: {inputs: ""}`, /lower_precision\.inputs/],
  ["a structure without its reason", `${TASK}input_structure: {symmetry: ""}`, /input_structure\.symmetry/],
  ["a lower precision of neither", `${TASK}lower_precision: {weights: fast}`, /weights/],
  ["C++ without its header", `${TASK}languages: {cpp: }`, /languages: C\+\+ needs a task\.h/],
  ["a language that we do not know", `${TASK}languages: {rust: }`, /languages: .*rust/],
  ["no language", `${TASK}languages: {}`, /name at least one of py, cpp, cu/],
  ["flags for Python", `${TASK}languages: {py: {flags: [-O]}}`, /languages: py: .*flags/],
  ["a harness in C++", `${TASK}lang: cu`, /lang: cu is for a harness in C\+\+/],
  [
    "a number that JSON would round",
    TASK.replace("size: 127", "size: 9007199254740993"),
    /beyond 2\^53 would be rounded/,
  ],
  ["a text that no database stores", TASK.replace("seed: 1", 'seed: 1, kind: "\\0"'), /without NUL/],
  ["text that is not YAML", "a: [", /not YAML/],
  ["a template that is not there", `${TASK}templates: {Python: gone.py}`, /templates\.Python.*gone\.py/],
])("%s is rejected with its key", (_, task, message) => {
  expect(() => parseProblem("vectoradd", files(task))).toThrow(KernelBotError);
  expect(() => parseProblem("vectoradd", files(task))).toThrow(message);
});

test("a problem accepts only Python unless it names its languages, the compiled ones with flags", () => {
  expect(parseProblem("p", files(TASK)).spec.languages).toEqual({ py: {} });
  const texts = { ...files(`${TASK}languages: {py: , cpp: {flags: [-ffast-math]}, cu: }`), "task.h": "" };
  expect(parseProblem("p", texts).spec.languages).toEqual({
    py: {},
    cpp: { flags: ["-ffast-math"] },
    cu: { flags: [] },
  });
});

test("cases keep their types: lists, booleans, floats and strings", () => {
  const { spec } = parseProblem(
    "p",
    files(TASK.replace(/tests.*/, "tests: [{m: [1, 2], bias: false, scale: 0.5, kind: dense}]")),
  );
  expect(spec.tests).toEqual([{ m: [1, 2], bias: false, scale: 0.5, kind: "dense" }]);
  expect(caseLine(spec.tests[0] ?? {})).toBe("m: [1,2]; bias: false; scale: 0.5; kind: dense");
});

test("a problem's version depends on its content, not on the order in which it was read", async () => {
  const { spec, files: texts } = parseProblem("p", files(TASK));
  const reordered = { files: Object.fromEntries(Object.entries(texts).toReversed()), spec };
  expect(await problemVersion(reordered)).toBe(await problemVersion({ spec, files: texts }));
  expect(await problemVersion({ spec, files: { ...texts, "reference.py": "# changed" } })).not.toBe(
    await problemVersion({ spec, files: texts }),
  );
});

test("a value that YAML 1.1 reads as a truth value or another number is refused with its line and both spellings", () => {
  const task = TASK.replace("size: 127, seed: 1", "size: 1_048_576, has_bias: no, seed: 010");
  const message = [
    'task.yml: size: 1_048_576 is 1048576 in YAML 1.1 and "1_048_576" in YAML 1.2: write 1048576 or "1_048_576" (line 3)',
    'task.yml: has_bias: no is false in YAML 1.1 and "no" in YAML 1.2: write false or "no" (line 3)',
    "task.yml: seed: 010 is 8 in YAML 1.1 and 10 in YAML 1.2: write 8 or 10 (line 3)",
  ].join("; ");
  expect(() => parseProblem("p", files(task))).toThrow(`problem "p": ${message}`);
  expect(parseProblem("p", files(TASK.replace("rtol: 0", "rtol: 1e-5"))).spec.tolerance?.rtol).toBe(1e-5);
});

test("a fault of task.yml names its line", () => {
  expect(() => parseProblem("p", files(`${TASK}ranked_by: geom\n`))).toThrow(/"ranked_by" \(line 7\)$/);
  expect(() => parseProblem("p", files(TASK.replace("size: 1024", "size: null")))).toThrow(
    /benchmarks\.0\.size: .* \(line 4\)$/,
  );
});
