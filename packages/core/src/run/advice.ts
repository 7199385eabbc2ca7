/** Advice for runs that did not pass. The same list is used by the site, the guide that `init` writes, and `mcp`. */
import type { FailureClass, RunState, Verdict } from "./states.ts";

/** Outcome of a run that did not pass. */
export type FailureOutcome = FailureClass | "quarantined" | "infra_error" | "cancelled";

export const ADVICE: Readonly<Record<FailureOutcome, string>> = {
  compile_error: "Mend what the compiler's log names, and submit again.",
  crash: "Read the traceback and the output; the case that ran is the one to try.",
  wrong_result: "Compare the failing case's first places with what was expected; try sizes that no block divides.",
  timeout: "Do less work, or finish: the limits of the stages are in the problem.",
  out_of_memory: "Hold fewer or smaller temporaries at the largest case.",
  rejected:
    "Write only to the output, and only before you return; keep nothing between calls, start nothing that outlives one.",
  quarantined: "A moderator decides; submitting the same again changes nothing.",
  infra_error: "The platform failed, not the kernel: submit the same again.",
  cancelled: "It was cancelled; submit it again if that was not meant.",
};

/**
 * Returns whether a run was not judged because of an error in its problem, such as a header that does not compile.
 * Messages of the judge about such errors begin with `the problem`.
 */
export function isProblemError({ verdict, message }: { verdict: Verdict | null; message: string | null }): boolean {
  return verdict === "infra_error" && /^the problem('s)? /.test(message ?? "");
}

/** Returns the advice for a run with verdict `infra_error`. */
export function infraErrorAdvice(run: { verdict: Verdict | null; message: string | null }): string {
  return isProblemError(run)
    ? "The problem has an error, not the kernel: its organiser has to fix it. Submitting again changes nothing until then."
    : "The platform failed, not the kernel: submit it again.";
}

/** Returns the outcome under which advice is listed; null for a run that passed or has not ended. */
export function failureOutcome({
  state,
  verdict,
  failureClass,
}: {
  state: RunState;
  verdict: Verdict | null;
  failureClass: FailureClass | null;
}): FailureOutcome | null {
  if (state === "cancelled") return "cancelled";
  if (verdict === null || verdict === "passed") return null;
  return verdict === "failed" ? (failureClass ?? "crash") : verdict;
}
