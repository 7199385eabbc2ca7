import { expect, test } from "vitest";
import { z } from "zod";
import { KERNELBENCH } from "./entry-check.ts";
import { excessiveSpeedups } from "./excessive-speedup.ts";
import { measuredKernels, MeasuredResults, readMeasuredResults, scoreMeasured } from "./measured-results.ts";

const PROBLEMS = KERNELBENCH.problems.map((key) => ({ ...key, degenerate: null }));

/** Document as written by an external program. */
const DOCUMENT = {
  format: "kernelbench-results/1",
  hardware: "NVIDIA H100 80GB HBM3",
  evaluator: "my-harness 1.2",
  results: {
    level_1_problem_19_sample_0: { compiled: true, correct: true, timeMs: 0.04, baselineMs: 0.08 },
    level_1_problem_19_sample_1: { compiled: true, correct: false },
    level_2_problem_1_sample_0: { compiled: true, correct: true, timeMs: 0.02, baselineMs: 0.01 },
    level_3_problem_1_sample_0: { compiled: false, correct: false, message: "no such operator" },
  },
};

const read = (document: object) => readMeasuredResults(JSON.stringify(document));

function documentOf(value: object): MeasuredResults {
  const { document, faults } = read(value);
  expect(faults).toEqual([]);
  return document as MeasuredResults;
}

test("external results are scored over all problems, with the given hardware and evaluator", () => {
  const score = scoreMeasured({ document: documentOf(DOCUMENT), suiteVersion: "", problems: PROBLEMS });
  expect(score).toMatchObject({
    baseline: { kind: "eager" },
    evaluators: ["my-harness 1.2"],
    hardware: ["NVIDIA H100 80GB HBM3"],
    overall: { problems: 250, submitted: 3, compiled: { count: 2, of: 250 }, correct: { count: 2, of: 250 } },
    passAtK: [{ k: 1, problems: 3 }],
  });
  expect(score.overall.geoMean).toBeCloseTo(1);
  expect(score.overall.fast.find(({ p }) => p === 1)?.atLeast).toEqual({ count: 1, of: 250 });
});

test("a stored baseline replaces the times of the document, by problem key", () => {
  const times = [{ level: 1 as const, problem: 19, fileName: "19_ReLU.py", timeNs: 160_000 }];
  const document = documentOf(DOCUMENT);
  const { overall, baseline } = scoreMeasured({
    ...{ document, suiteVersion: "", problems: PROBLEMS },
    stored: { id: "b", times },
  });
  expect(baseline).toEqual({ kind: "stored", id: "b" });
  expect(overall).toMatchObject({ geoMean: expect.closeTo(4) as number, geoMeanOf: 1, correct: { count: 2 } });
});

test("a speedup above 10 is flagged, and a speedup of 10 is not", () => {
  const timed = (baselineMs: number, correct = true) => ({ compiled: true, correct, timeMs: 1, baselineMs });
  const document = documentOf({
    ...DOCUMENT,
    results: {
      level_1_problem_1_sample_0: timed(10),
      level_1_problem_2_sample_0: timed(12),
      level_1_problem_3_sample_0: timed(500, false),
      level_1_problem_4_sample_0: timed(1089),
    },
  });
  expect(excessiveSpeedups(measuredKernels(document, PROBLEMS))).toEqual([
    { key: "level_1_problem_4_sample_0", speedup: expect.closeTo(1089) as number },
    { key: "level_1_problem_2_sample_0", speedup: expect.closeTo(12) as number },
  ]);
});

const RIGHT = { compiled: true, correct: true };

test.each<[string, string, string]>([
  ["text that is not JSON", '{"format": 1,}', "line 1, column 14: "],
  ["another format", JSON.stringify({ ...DOCUMENT, format: "x" }), "format: "],
  ["no evaluator", JSON.stringify({ ...DOCUMENT, evaluator: undefined }), "evaluator: "],
  ["a member that is not known", JSON.stringify({ ...DOCUMENT, runtimes: {} }), "runtimes"],
  ["a key that is none", JSON.stringify({ ...DOCUMENT, results: { l1: RIGHT } }), "results.l1: "],
  [
    "a time of 0",
    JSON.stringify({ ...DOCUMENT, results: { level_1_problem_1_sample_0: { ...RIGHT, timeMs: 0 } } }),
    "results.level_1_problem_1_sample_0.timeMs: ",
  ],
  [
    "a correct kernel that was not compiled",
    JSON.stringify({ ...DOCUMENT, results: { level_1_problem_1_sample_0: { ...RIGHT, compiled: false } } }),
    "results.level_1_problem_1_sample_0: a correct kernel must have compiled",
  ],
  [
    "a kernel that occurs twice",
    JSON.stringify(DOCUMENT).replace("level_1_problem_19_sample_1", "level_1_problem_19_sample_0"),
    "results.level_1_problem_19_sample_0: it occurs more than once",
  ],
])("a document with %s is rejected with the location", (_, text, fault) => {
  const { document, faults } = readMeasuredResults(text);
  expect(document).toBeNull();
  expect(faults.join("\n")).toContain(fault);
});

test("all faults of a document are reported at once", () => {
  const results = { level_1_problem_1_sample_0: { compiled: 1 }, level_1_problem_2_sample_0: { ...RIGHT, timeMs: -1 } };
  expect(read({ ...DOCUMENT, hardware: "", results }).faults.length).toBeGreaterThanOrEqual(4);
});

test("a result for a problem outside the suite is an error", () => {
  const document = documentOf({ ...DOCUMENT, results: { level_3_problem_51_sample_0: RIGHT } });
  expect(() => scoreMeasured({ document, suiteVersion: "", problems: PROBLEMS })).toThrow(
    '"level_3_problem_51_sample_0" belongs to no problem of the suite',
  );
});

test("the published JSON schema equals the schema of the document (`vitest run packages/core/src/kernelbench -u`)", async () => {
  const schema = z.toJSONSchema(MeasuredResults, { io: "input" });
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(
    "../../../../docs/reference/kernelbench-results.schema.json",
  );
});
