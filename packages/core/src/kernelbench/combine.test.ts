import { expect, test } from "vitest";
import { KernelBotError } from "../errors.ts";
import { combineRuns, runName, splitEntry } from "./combine.ts";
import type { KernelBenchEntryFile } from "./entry.ts";

const METADATA = { display_name: "Model A", organization: "Acme", run_name: "model_a", notes: "" };
const file = (path: string, text = path) => ({ path, text });

test("folders of levels are combined into one file, sorted by key", () => {
  const { file: entry, faults } = combineRuns(
    [
      file("runs/model_a_level2/level_2_problem_3_sample_0_kernel.py", "c"),
      file("runs/model_a_level1/level_1_problem_19_sample_1_kernel.py", "b"),
      file("runs\\model_a_level1\\level_1_problem_2_sample_0_kernel.py", "a"),
      file("runs/model_a_level1/eval_results.json"),
      file("runs/model_a_level1/level_1_problem_2_sample_0_prompt.txt"),
    ],
    { display_name: "Model A" },
  );
  expect(faults).toEqual([]);
  expect(JSON.stringify(entry)).toBe(
    JSON.stringify({
      metadata: { display_name: "Model A", organization: "", notes: "" },
      kernels: {
        level_1_problem_2_sample_0: "a",
        level_1_problem_19_sample_1: "b",
        level_2_problem_3_sample_0: "c",
      },
    }),
  );
});

test("splitting an entry and combining it again gives the same file", () => {
  const entry: KernelBenchEntryFile = {
    metadata: METADATA,
    kernels: {
      level_1_problem_1_sample_0: "class ModelNew: pass\r\n\r\n",
      level_1_problem_1_sample_12: "\ufeff# é 𝄞\n\t",
      level_3_problem_50_sample_0: "",
    },
  };
  const files = splitEntry(entry);
  expect(files.map(({ path }) => path)).toEqual([
    "model_a_level1/level_1_problem_1_sample_0_kernel.py",
    "model_a_level1/level_1_problem_1_sample_12_kernel.py",
    "model_a_level3/level_3_problem_50_sample_0_kernel.py",
  ]);
  expect(combineRuns(files.toReversed(), METADATA)).toEqual({ file: entry, faults: [] });
});

test("a kernel in two folders, or in the folder of another level, is an error", () => {
  const { faults } = combineRuns(
    [
      file("a_level1/level_1_problem_1_sample_0_kernel.py"),
      file("b_level1/level_1_problem_1_sample_0_kernel.py"),
      file("a_level2/level_1_problem_2_sample_0_kernel.py"),
    ],
    METADATA,
  );
  expect(faults).toEqual([
    {
      key: "level_1_problem_1_sample_0",
      severity: "error",
      what:
        'it is in both "a_level1/level_1_problem_1_sample_0_kernel.py" and ' +
        '"b_level1/level_1_problem_1_sample_0_kernel.py": keep one of them',
    },
    {
      key: "level_1_problem_2_sample_0",
      severity: "error",
      what: 'its level is 1, but it is in the folder of another level: "a_level2/level_1_problem_2_sample_0_kernel.py"',
    },
  ]);
});

test.each(["level_1_problem_01_sample_0_kernel.py", "level_1_problem_1_kernel.py", "kernel.py"])(
  "the Python file %s is left out with a warning",
  (name) => {
    const { file: entry, faults } = combineRuns([file(`a_level1/${name}`)], METADATA);
    expect(entry.kernels).toEqual({});
    expect(faults).toMatchObject([{ key: null, severity: "warning" }]);
    expect(faults[0]?.what).toContain(name);
  },
);

test("an untrusted key never becomes a path", () => {
  for (const key of ["../../etc/passwd", "level_1_problem_1_sample_0/../x"]) {
    expect(() => splitEntry({ metadata: METADATA, kernels: { [key]: "" } })).toThrow(KernelBotError);
  }
});

test.each([
  ["aux.x", "_aux.x_level1"],
  ["..", ".._level1"],
])("a run with the name %j is split into the folder %j, which every system accepts", (run_name, folder) => {
  const files = splitEntry({ metadata: { ...METADATA, run_name }, kernels: { level_1_problem_1_sample_0: "" } });
  expect(files.map(({ path }) => path)).toEqual([`${folder}/level_1_problem_1_sample_0_kernel.py`]);
});

test("the name of a run defaults to its model", () => {
  expect(runName({ run_name: undefined, display_name: "Modèle B 2.5 (high)" })).toBe("modele_b_2_5_high");
  expect(runName({ run_name: undefined, display_name: "模型" })).toBe("model");
  expect(runName(METADATA)).toBe("model_a");
});
