/** Advice for runs that did not pass. The same list is used by the site, the guide that `init` writes, and `mcp`. */
import type { FailureClass, RunState, Verdict } from "../vocabulary/states.ts";

/** Outcome of a run that did not pass. */
export type FailureOutcome = FailureClass | "quarantined" | "infra_error" | "cancelled";

/** The run had its attempts, so nothing repeats it; and a few kernels make their judge fail. */
const PLATFORM_FAILED = "Most likely the platform failed, not the kernel: submit it again.";

export const ADVICE: Readonly<Record<FailureOutcome, string>> = {
  compile_error: "Fix the errors in the compiler log, and submit again.",
  crash: "Read the traceback and the output; reproduce the failure with the case that was running.",
  wrong_result:
    "Compare the first differing elements of the failing case with the expected values; try sizes that are not a multiple of the block size.",
  timeout: "Reduce the work, or check that the kernel terminates; the time limits of the stages are in the problem.",
  out_of_memory: "Allocate fewer or smaller temporaries in the largest case.",
  rejected:
    "Write only to the output, and only before returning; keep no state between calls, and start no work that outlives a call.",
  quarantined: "A moderator will decide; submitting the same kernel again changes nothing.",
  infra_error: PLATFORM_FAILED,
  cancelled: "The run was cancelled; submit the kernel again if that was unintended.",
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
    ? "The problem has an error, not the kernel: its organiser must fix it. Submitting again changes nothing until then."
    : PLATFORM_FAILED;
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
