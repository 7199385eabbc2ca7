/** Rewards of a group: several samples of one model for one problem. */
import { passAtK } from "../kernelbench/pass-at-k.ts";
import type { EvaluationOutcome } from "./measured.ts";

/**
 * Returns pass@k of a group of evaluations at one level: the probability that at least one of k samples passes, by the
 * unbiased estimate of `passAtK`. Evaluations without a result of their own (null, `quarantined`, `infra_error`) are
 * left out. Null if fewer than k remain.
 *
 * @example
 * passAtKOfGroup(["passed", "wrong_result", "crash", "passed"], 1); // 0.5
 * @throws RangeError unless k is a positive integer.
 */
export function passAtKOfGroup(outcomes: readonly (EvaluationOutcome | null)[], k: number): number | null {
  if (!Number.isInteger(k) || k < 1) throw new RangeError(`pass@${k} is not defined; k must be a positive integer`);
  const judged = outcomes.filter(
    (outcome) => outcome !== null && outcome !== "quarantined" && outcome !== "infra_error",
  );
  if (judged.length < k) return null;
  return passAtK(judged.length, judged.filter((outcome) => outcome === "passed" || outcome === "noisy").length, k);
}
