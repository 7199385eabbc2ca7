/** Output of `kernelbot problem check`. */
import { z } from "zod";
import { Problem, TargetName } from "../vocabulary/specification.ts";

export const ProblemSeverity = z.enum(["error", "warning", "note"]);
/**
 * `error`: the problem must not be opened in this state. `warning`: a person should review it. `note`: something could
 * not be checked, and why.
 */
export type ProblemSeverity = z.infer<typeof ProblemSeverity>;

/** Text of a problem: bounded in length, and shown only escaped. */
const Text = z.string().max(4_000);

export const ProblemFinding = z.object({
  severity: ProblemSeverity,
  /** Id of the check, such as `inputs.seed`. */
  check: z.string().max(100),
  /** File, key or case concerned. */
  where: Text,
  what: Text,
  /** Suggested fix; null if there is nothing to do. */
  todo: Text.nullable(),
});
export type ProblemFinding = z.infer<typeof ProblemFinding>;

/** Largest case of a target, by the size of its tensors in bytes; with several ranks, the size for one rank. */
export const ProblemSize = z.object({
  target: z.string(),
  case: Text,
  inputBytes: z.number().nonnegative(),
  outputBytes: z.number().nonnegative(),
});
export type ProblemSize = z.infer<typeof ProblemSize>;

/** One input line of `kernelbot_tester.problem_check`. */
export const ProblemInspectionRequest = z.object({ problem: Problem, target: TargetName });
export type ProblemInspectionRequest = z.infer<typeof ProblemInspectionRequest>;

/**
 * Result of running the problem's own code: one output line of `kernelbot_tester.problem_check`. `unavailable`: why the
 * program could not enter its sandbox.
 */
export const ProblemInspection = z.union([
  z.object({ findings: z.array(ProblemFinding), sizes: z.array(ProblemSize) }),
  z.object({ failed: Text }),
  z.object({ unavailable: Text }),
]);
export type ProblemInspection = z.infer<typeof ProblemInspection>;

export const CheckedProblem = z.object({
  /** Path of the directory, as given or as found below a given path. */
  directory: z.string(),
  name: z.string(),
  /** Number of submissions judged: templates and examples, and attacks. */
  judged: z.object({ examples: z.number().int(), attacks: z.number().int() }),
  tookS: z.number().nonnegative(),
  /** Sorted by severity, errors first. */
  findings: z.array(ProblemFinding),
});
export type CheckedProblem = z.infer<typeof CheckedProblem>;

/** Output of `kernelbot problem check --json`. */
export const ProblemsChecked = z.object({
  /** True if there are no errors. */
  ok: z.boolean(),
  target: z.string(),
  tookS: z.number().nonnegative(),
  problems: z.array(CheckedProblem),
});
export type ProblemsChecked = z.infer<typeof ProblemsChecked>;

/** Sorts findings by severity, errors first; the sort is stable. */
export function bySeverity(findings: readonly ProblemFinding[]): ProblemFinding[] {
  const rank = ({ severity }: ProblemFinding): number => ProblemSeverity.options.indexOf(severity);
  return findings.toSorted((one, other) => rank(one) - rank(other));
}
