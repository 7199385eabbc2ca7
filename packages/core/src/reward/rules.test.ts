import { expect, test } from "vitest";
import { EVALUATION_LEVELS, EVALUATION_OUTCOMES, type EvaluationOutcome, type Measured } from "./measured.ts";
import { passAtKOfGroup } from "./group.ts";
import { RewardRule, rewardOf } from "./rules.ts";

const RULES = ["log-gain@1", "step@1", "pass@1", "thresholds@1:0=0.2,1=0.5,1.5=0.8,3=1", "thresholds@1:1.2=1"];
const SILENT: readonly (EvaluationOutcome | null)[] = [null, "infra_error", "noisy", "quarantined"];

function measured(change: Partial<Measured> = {}): Measured {
  return { level: "reward", outcome: "passed", passed: 8, total: 8, speedup: null, ...change };
}

function faster(low: number): Measured {
  return measured({ speedup: { low, mid: low * 1.1, high: low * 1.2 } });
}

/** Results of every level, outcome, number of passed cases and speedup. */
const ALL = EVALUATION_LEVELS.flatMap((level) =>
  EVALUATION_OUTCOMES.flatMap((outcome) =>
    [0, 3, 8].flatMap((passed) =>
      [null, 0.2, 0.999, 1, 1.001, 1.5, 4, 1000].map((low) =>
        measured({
          ...{ level, outcome, passed, total: level === "compile" ? 0 : 8 },
          speedup: low === null ? null : { low, mid: low + 0.1, high: low + 0.2 },
        }),
      ),
    ),
  ),
);

test.each(RULES)("%s rewards from 0 to 1, and gives equal results equal rewards", (rule) => {
  for (const one of ALL) {
    const reward = rewardOf(rule, one);
    expect(rewardOf(rule, structuredClone(one))).toBe(reward);
    if (reward === null) continue;
    expect(reward).toBeGreaterThanOrEqual(0);
    expect(reward).toBeLessThanOrEqual(1);
  }
});

test.each(RULES)("%s gives null, and never 0, exactly where the platform gave no result", (rule) => {
  for (const one of ALL) expect(rewardOf(rule, one) === null).toBe(SILENT.includes(one.outcome));
  expect(rewardOf(rule, measured({ outcome: null, passed: 0 }))).toBeNull();
});

test.each(RULES)("%s never falls as the lower end of the speedup rises", (rule) => {
  const rewards = [0.01, 0.5, 1, 1.0001, 1.2, 1.5, 2, 3, 3.9, 4, 100].map((low) => rewardOf(rule, faster(low)) ?? NaN);
  expect(rewards).toEqual(rewards.toSorted((a, b) => a - b));
});

test.each(RULES)("%s never falls as more cases pass", (rule) => {
  const wrong = (passed: number) => rewardOf(rule, measured({ outcome: "wrong_result", passed })) ?? NaN;
  const rewards = [0, 1, 4, 7].map(wrong);
  expect(rewards).toEqual(rewards.toSorted((a, b) => a - b));
  expect(rewardOf(rule, faster(1.3))).toBeGreaterThan(wrong(7));
});

test.each(["log-gain@1", "step@1", "thresholds@1:0=0.2,1=0.5"])(
  "%s gives no gain where the interval of the speedup reaches 1, however large its upper end is",
  (rule) => {
    const even = rewardOf(rule, measured({ speedup: { low: 0.4, mid: 0.5, high: 0.6 } }));
    expect(rewardOf(rule, measured({ speedup: { low: 0.99, mid: 3, high: 9 } }))).toBe(even);
    expect(rewardOf(rule, measured({ speedup: { low: 1, mid: 3, high: 9 } }))).toBe(even);
    expect(rewardOf(rule, faster(1.01))).toBeGreaterThan(even ?? NaN);
  },
);

test.each([
  ["log-gain@1", measured({ outcome: "compile_error", passed: 0 }), 0],
  ["log-gain@1", measured({ outcome: "wrong_result", passed: 4 }), 0.05],
  ["log-gain@1", measured({ outcome: "rejected", passed: 8 }), 0],
  ["log-gain@1", measured({ level: "test" }), 0.3],
  ["log-gain@1", measured({ level: "compile", passed: 0, total: 0 }), 0],
  ["log-gain@1", faster(2), 0.65],
  ["log-gain@1", faster(4), 1],
  ["log-gain@1", faster(50), 1],
  ["step@1", measured({ outcome: "compile_error" }), 0],
  ["step@1", measured({ outcome: "rejected" }), 0],
  ["step@1", measured({ outcome: "timeout" }), 0.1],
  ["step@1", measured({ level: "compile" }), 0.1],
  ["step@1", measured({ level: "test" }), 0.5],
  ["step@1", faster(1.5), 1],
  ["pass@1", measured({ level: "compile" }), 1],
  ["pass@1", measured({ outcome: "crash" }), 0],
  ["thresholds@1:0=0.2,1=0.5,2=1", measured({ level: "test" }), 0.2],
  ["thresholds@1:0=0.2,1=0.5,2=1", faster(1.2), 0.5],
  ["thresholds@1:0=0.2,1=0.5,2=1", faster(2), 0.5],
  ["thresholds@1:0=0.2,1=0.5,2=1", faster(2.01), 1],
  ["thresholds@1:1=0.5", measured({ level: "test" }), 0],
] as const)("%s of %o is %f", (rule, result, reward) => {
  expect(rewardOf(rule, result)).toBeCloseTo(reward, 12);
});

test.each([
  "log-gain",
  "log-gain@2",
  "toString",
  "pass@1:1=1",
  "thresholds@1",
  "thresholds@1:2=0.5,1=1",
  "thresholds@1:1=0.5,2=0.4",
  "thresholds@1:1=1.5",
  "thresholds@1:1=-1",
  "thresholds@1:x=1",
])("%s is not a valid rule", (rule) => {
  expect(RewardRule.safeParse(rule).success).toBe(false);
  expect(() => rewardOf(rule, measured())).toThrow(/unknown reward rule|not valid thresholds/);
});

test("pass@k of a group leaves out evaluations without a result", () => {
  const group = ["passed", null, "wrong_result", "infra_error", "crash", "passed", "quarantined"] as const;
  expect(passAtKOfGroup(group, 1)).toBe(0.5);
  expect(passAtKOfGroup(group, 3)).toBe(1);
  expect(passAtKOfGroup(group, 5)).toBeNull();
  expect(() => passAtKOfGroup(group, 0)).toThrow(RangeError);
});
