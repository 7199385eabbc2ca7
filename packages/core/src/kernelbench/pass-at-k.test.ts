import { expect, test } from "vitest";
import { passAtK, passAtKs } from "./pass-at-k.ts";
import { passAtKDocument, PassAtKDocument } from "./pass-at-k-document.ts";

/** Counts, over all ways to draw k of n samples of which the first c are correct, the fraction with a correct one. */
function counted(n: number, c: number, k: number): number {
  const draws = Array.from({ length: 2 ** n }, (_, bits) => bits).filter(
    (bits) => bits.toString(2).replaceAll("0", "").length === k,
  );
  return draws.filter((bits) => (bits & (2 ** c - 1)) !== 0).length / draws.length;
}

test("pass@k is the fraction of all draws of k samples with at least one correct sample", () => {
  for (let n = 1; n <= 8; n++) {
    for (let c = 0; c <= n; c++) {
      for (let k = 1; k <= n; k++) expect(passAtK(n, c, k)).toBeCloseTo(counted(n, c, k), 12);
    }
  }
});

test("pass@k of more samples than there are, or of more correct ones than samples, is not defined", () => {
  for (const [n, c, k] of [
    [4, 1, 5],
    [4, 5, 1],
    [4, -1, 1],
    [4, 1, 0],
    [4, 1, 1.5],
    [0, 0, 1],
  ] as const) {
    expect(() => passAtK(n, c, k)).toThrow(RangeError);
  }
});

const sample = (problem: number, number: number, correct: boolean | null) => ({
  level: 2 as const,
  problem,
  sample: number,
  compiled: correct === null ? null : true,
  correct,
});
const PROBLEMS = [1, 2, 3].map((problem) => ({ level: 2 as const, problem }));

test("the mean is over the problems with at least k samples, with their number", () => {
  const kernels = [
    ...[0, 1, 2, 3, 4].map((number) => sample(1, number, number === 0)),
    ...[0, 1, 2].map((number) => sample(2, number, false)),
  ];
  expect(passAtKs(PROBLEMS, kernels)).toEqual([
    { k: 1, value: expect.closeTo((1 / 5 + 0) / 2, 12) as number, problems: 2 },
    { k: 3, value: expect.closeTo((3 / 5 + 0) / 2, 12) as number, problems: 2 },
    { k: 5, value: 1, problems: 1 },
  ]);
});

test("pass_at_k_results.json averages each k over the problems with at least k samples", () => {
  const samples = (correct: boolean[]) =>
    correct.map((correctness, sample_id) => ({
      ...{ sample_id, compiled: true, correctness },
      ...{ metadata: {}, runtime: 1, speedup_vs_eager: 1, speedup_vs_compile: 1, runtime_stats: {} },
    }));
  const document = passAtKDocument({ 1: samples([true, false]), 7: samples([false, false, false, false, true]) }, 100);
  expect(PassAtKDocument.parse(document)).toEqual({
    averages: {
      "avg_pass@1": expect.closeTo(0.35) as number,
      "avg_pass@2": expect.closeTo(0.7) as number,
      "avg_pass@5": 1,
    },
    metadata: {
      ...{ total_problems: 100, problems_with_samples: 2, total_evaluated_samples: 7, total_correct_samples: 2 },
      ...{ "pass@1_count": 2, "pass@2_count": 2, "pass@5_count": 1 },
    },
    problems: {
      "1": { total_samples: 2, correct_samples: 1, "pass@1": 0.5, "pass@2": 1 },
      "7": {
        total_samples: 5,
        correct_samples: 1,
        "pass@1": expect.closeTo(0.2) as number,
        "pass@2": expect.closeTo(0.4) as number,
        "pass@5": 1,
      },
    },
  });
  expect(passAtKDocument({ 1: samples([true]) }, 100)).toBeNull();
});

test("there is no pass@k if no problem has more than one judged sample", () => {
  expect(passAtKs(PROBLEMS, [sample(1, 0, true), sample(2, 0, true)])).toEqual([]);
  expect(passAtKs(PROBLEMS, [sample(1, 0, true), sample(1, 1, null)])).toEqual([]);
  expect(passAtKs(PROBLEMS, [sample(9, 0, true), sample(9, 1, true)])).toEqual([]);
});
