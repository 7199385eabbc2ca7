import { expect, test } from "vitest";
import { evaluationFeedback, FEEDBACK_BYTES, type FeedbackFacts } from "./feedback.ts";

const MISMATCH = {
  ...{ differing: 3, total: 127, largestAbsolute: 0.5, largestRelative: 0.1 },
  first: [{ index: [7], got: "1.25", expected: "31337.5" }],
};
const CASE = { stage: "test", index: 1, case: { size: 127, seed: 424242 }, message: null, mismatch: null } as const;

function feedback(change: Partial<FeedbackFacts>): string {
  const passed: FeedbackFacts = {
    ...{ level: "reward", outcome: "passed", passed: 9, total: 9, speedup: null },
    ...{ message: null, detail: null, failed: null },
  };
  return evaluationFeedback({ ...passed, ...change });
}

test("code that passes learns its speedup and whether it is above the noise", () => {
  expect(feedback({ speedup: { low: 1.2, mid: 1.31, high: 1.44 } })).toBe(
    "passed, 9 of 9 cases passed; 1.31x as fast as the reference (95 % CI 1.20 to 1.44): faster than the reference",
  );
  expect(feedback({ speedup: { low: 0.9, mid: 1.3, high: 1.5 } })).toContain("not distinguishable from the reference");
  expect(feedback({ level: "test" })).toBe("passed, 9 of 9 cases passed");
  expect(feedback({ level: "compile", passed: 0, total: 0 })).toBe("passed: the code can be imported");
});

test("an incorrect output is described without its seed, its values or the problem's message", () => {
  const failed = { ...CASE, mismatch: MISMATCH, message: "expected 31337.5" };
  const text = feedback({
    ...{ outcome: "wrong_result", passed: 8, failed },
    message: "test case 2 (size: 127; seed: 424242): 3 of 127 elements differ: got 1.25, expected 31337.5",
  });
  expect(text).toBe(
    "failed: wrong result, 8 of 9 cases passed\ntest case 2 (size: 127): 3 of 127 elements differ; largest error 0.5, relative 0.1; the first at [7]",
  );
  expect(feedback({ outcome: "wrong_result", failed: { ...CASE, message: "expected 31337.5" } })).not.toContain(
    "31337",
  );
});

test("the parameters of a timed case are not named", () => {
  const failed = { ...CASE, stage: "benchmark", mismatch: MISMATCH } as const;
  expect(feedback({ outcome: "wrong_result", failed })).toContain("benchmark case 2: 3 of 127 elements differ");
  expect(feedback({ outcome: "wrong_result", failed })).not.toContain("(size");
});

test("a crash shows the message and the traceback without seeds and paths", () => {
  const text = feedback({
    ...{ outcome: "crash", passed: 0, failed: CASE },
    message: "test case 2 (size: 127; seed: 424242): ValueError: no",
    detail: 'File "/var/lib/kernelbot/secret-place/submission.py", line 3, seed=99\nValueError: no',
  });
  expect(text).toContain("ValueError: no");
  expect(text).toContain('File "submission.py", line 3');
  for (const secret of ["424242", "secret-place", "/var/lib", "seed"]) expect(text).not.toContain(secret);
});

test("a platform failure is never described as the code's, and nothing of it is shown", () => {
  const text = feedback({ outcome: "infra_error", message: "runner box-17 at /srv/x fell over", detail: "trace" });
  expect(text).toBe("not judged: the platform failed, not the code");
});

test("a long log keeps head and tail within 4 KB, whatever characters it has", () => {
  const detail = `first\n${"é\u{1f600}".repeat(30_000)}\nlast`;
  const text = feedback({ outcome: "compile_error", message: "x".repeat(20_000), detail });
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(FEEDBACK_BYTES);
  const short = feedback({ outcome: "compile_error", detail: `first\n${"a".repeat(30_000)}\nlast` });
  expect(short).toMatch(/first[\s\S]*characters left out[\s\S]*last$/);
});
