import { expect, test } from "vitest";
import { BASELINE_TIMES } from "@kernelbot/testing/kernelbench-published/published.ts";
import { BaselineFile, baselineTimes } from "./stored-baseline.ts";

test("a published baseline has a time for each of the 250 problems, in order", () => {
  expect(BASELINE_TIMES.map(({ level, problem }) => level * 1000 + problem)).toEqual([
    ...Array.from({ length: 100 }, (_, at) => 1001 + at),
    ...Array.from({ length: 100 }, (_, at) => 2001 + at),
    ...Array.from({ length: 50 }, (_, at) => 3001 + at),
  ]);
  expect(BASELINE_TIMES[0]).toEqual({
    level: 1,
    problem: 1,
    fileName: "1_Square_matrix_multiplication_.py",
    timeNs: 3_810_000,
  });
});

test("a time is matched by the level and number in its file name, in any order", () => {
  const { times } = baselineTimes({
    level2: { "7_a.py": { mean: 1 } },
    level1: { "100_c.py": { mean: 16.4 }, "19_b.py": { mean: 0.0726 } },
  });
  expect(times).toEqual([
    { level: 1, problem: 19, fileName: "19_b.py", timeNs: 72_600 },
    { level: 1, problem: 100, fileName: "100_c.py", timeNs: 16_400_000 },
    { level: 2, problem: 7, fileName: "7_a.py", timeNs: 1_000_000 },
  ]);
});

test("times that are not positive, and invalid file names, are rejected", () => {
  const file = {
    level1: { "1_a.py": { mean: 0 }, "2_b.py": { mean: -1 }, "3_c.py": { mean: 1 }, "d.py": { mean: 1 } },
    level4: { "1_e.py": { mean: 1 } },
  };
  expect(baselineTimes(file).times.map(({ fileName }) => fileName)).toEqual(["3_c.py"]);
  expect(baselineTimes(file).skipped).toEqual(["level1/1_a.py", "level1/2_b.py", "level1/d.py", "level4/1_e.py"]);
});

test("two times for the same problem are rejected", () => {
  expect(() => baselineTimes({ level1: { "1_a.py": { mean: 1 }, "01_b.py": { mean: 2 } } })).toThrow(
    '"1_a.py" and "01_b.py" both have the key level_1_problem_1: keep one of them',
  );
});

test("a file that is not a baseline is rejected by its schema", () => {
  expect(BaselineFile.safeParse({ level1: { "1_a.py": { std: 1 } } }).success).toBe(false);
  expect(BaselineFile.safeParse({ level1: { "1_a.py": { mean: 1, std: 1, device: "cuda:0" } } }).success).toBe(true);
});
