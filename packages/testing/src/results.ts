/** Results of cases for tests. */
import type { StageResult } from "@kernelbot/core";

export type CaseResult = StageResult["cases"][number];

/** Returns a case that passed, without times. */
export function checkedCase(index: number, change: Partial<CaseResult> = {}): CaseResult {
  return {
    index,
    case: { size: 127 + index, seed: 4242 },
    status: "passed",
    message: null,
    mismatch: null,
    bytes: null,
    operations: null,
    outputBytes: null,
    rounds: [],
    summary: null,
    stopped: null,
    score: null,
    speedOfLight: null,
    ...change,
  };
}

/** Returns a confidence interval of `percent` percent to each side of a value. */
export function interval(value: number, percent = 1): { value: number; low: number; high: number } {
  return { value, low: value * (1 - percent / 100), high: value * (1 + percent / 100) };
}
