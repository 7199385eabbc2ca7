/**
 * Reward rules: pure functions from a stored result to a reward in [0, 1]. A rule is fixed by its name and version: a
 * change of its numbers is a new version. docs/reference/reward-rules.md states the formulas.
 */
import { z } from "zod";
import { KernelBotError, quote } from "../errors.ts";
import type { Measured } from "./measured.ts";

/** Rule of evaluations that name none. */
export const DEFAULT_RULE = "log-gain@1";

/** Reward of correct code that is not measurably faster than the reference, in `log-gain@1`. */
const CORRECT = 0.3;
/** Largest reward of incorrect code in `log-gain@1`, multiplied by the share of the cases that passed. */
const PARTIAL = 0.1;
/** Speedup whose gain is 1 in `log-gain@1`. */
const FULL_GAIN = 4;

/** Outcomes that do not say how good the code is: the platform failed, the machine was busy, or a moderator would have to review the time. */
const WITHOUT_REWARD = new Set<Measured["outcome"]>([null, "infra_error", "noisy", "quarantined"]);

type Rule = (measured: Measured) => number;

const RULES: Readonly<Record<string, Rule>> = {
  "log-gain@1": (measured) => {
    if (isCorrect(measured)) return CORRECT + (1 - CORRECT) * logGain(measured.speedup?.low ?? 1);
    // Code that breaks the judge's rules earns no part of a reward.
    if (measured.outcome === "rejected" || measured.total === 0) return 0;
    return (PARTIAL * measured.passed) / measured.total;
  },
  "step@1": (measured) => {
    if (isCorrect(measured)) return isFaster(measured) ? 1 : 0.5;
    return measured.outcome === "compile_error" || measured.outcome === "rejected" ? 0 : 0.1;
  },
  "pass@1": ({ outcome }) => (outcome === "passed" ? 1 : 0),
};

/** Names of the rules, for messages and documents. `thresholds@1` is followed by its parameters. */
export const RULE_NAMES: readonly string[] = [...Object.keys(RULES), "thresholds@1:SPEEDUP=REWARD,..."];

/**
 * Returns the reward of a stored result under a rule, from 0 to 1. Null if the result says nothing about the code:
 * unfinished, cancelled, expired, noisy, quarantined, or an infrastructure error.
 *
 * @example
 * rewardOf("log-gain@1", { level: "reward", outcome: "passed", passed: 9, total: 9, speedup: { low: 2, mid: 2.1, high: 2.2 } }); // 0.65
 * @throws KernelBotError `unprocessable` for an unknown rule or invalid parameters.
 */
export function rewardOf(rule: string, measured: Measured): number | null {
  const compute = ruleNamed(rule);
  return WITHOUT_REWARD.has(measured.outcome) ? null : compute(measured);
}

/** Name of a reward rule with its version, and its parameters if it has any. */
export const RewardRule = z
  .string()
  .max(300)
  .superRefine((name, context) => {
    try {
      ruleNamed(name);
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
    }
  })
  .describe(`Reward rule: ${RULE_NAMES.join(", ")}`);

function ruleNamed(name: string): Rule {
  const [head = "", parameters] = name.split(/:(.*)/s);
  if (head === "thresholds@1") return thresholds(parameters ?? "");
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  if (rule !== undefined) return rule;
  throw new KernelBotError("unprocessable", `unknown reward rule ${quote(name)}; use ${RULE_NAMES.join(", ")}`);
}

/**
 * Returns the rule whose reward is that of the largest threshold that the lower end of the speedup exceeds, 0 below all.
 * @param parameters Pairs such as `0=0.2,1=0.5,2=1`, ascending in both; the threshold 0 is the reward of correct code.
 */
function thresholds(parameters: string): Rule {
  const steps = parameters.split(",").map((pair) => {
    const match = /^(\d{1,4}(?:\.\d{1,6})?)=(\d(?:\.\d{1,6})?)$/.exec(pair.trim());
    return { above: Number(match?.[1] ?? NaN), reward: Number(match?.[2] ?? NaN) };
  });
  const isAscending = steps.every(({ above, reward }, at) => {
    const before = steps[at - 1] ?? { above: -1, reward: 0 };
    return above > before.above && reward >= before.reward && reward <= 1;
  });
  if (!isAscending || steps.length > 20) {
    throw new KernelBotError(
      "unprocessable",
      `${quote(parameters)} are not valid thresholds; write at most 20 pairs SPEEDUP=REWARD such as 0=0.2,1=0.5,2=1, ascending, with rewards from 0 to 1`,
    );
  }
  return (measured) => {
    if (!isCorrect(measured)) return 0;
    // Without a timed reference only the threshold 0 is exceeded.
    const low = measured.speedup?.low ?? Number.MIN_VALUE;
    return steps.findLast(({ above }) => low > above)?.reward ?? 0;
  };
}

/** Whether the outputs of the code are correct; level `compile` checks none. */
function isCorrect({ outcome, level }: Measured): boolean {
  return outcome === "passed" && level !== "compile";
}

/** Whether the whole confidence interval of the speedup is above 1. */
function isFaster({ speedup }: Measured): boolean {
  return speedup !== null && speedup.low > 1;
}

/** Returns the gain of a speedup on a logarithmic scale: 0 up to 1, 1 from `FULL_GAIN` on. */
function logGain(speedup: number): number {
  return Math.min(1, Math.max(0, Math.log(speedup) / Math.log(FULL_GAIN)));
}
