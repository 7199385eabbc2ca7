/** What `kernelbot problem check` finds out about problem directories. */
import { z } from "zod";

export const ProblemSeverity = z.enum(["error", "warning", "note"]);
/**
 * `error`: the problem must not be opened like this. `warning`: somebody has to look at it, and may find it well. `note`:
 * what could not be checked, and why.
 */
export type ProblemSeverity = z.infer<typeof ProblemSeverity>;

/** Text of a problem: bounded, and shown only escaped. */
const Text = z.string().max(4_000);

export const ProblemFinding = z.object({
  severity: ProblemSeverity,
  /** Which check found it, as `inputs.seed`. */
  check: z.string().max(100),
  /** The file, key or case. */
  where: Text,
  what: Text,
  /** What to do about it; null where nothing is to be done. */
  todo: Text.nullable(),
});
export type ProblemFinding = z.infer<typeof ProblemFinding>;

/** The largest case of a target, in bytes of its tensors; of several ranks of one of them. */
export const ProblemSize = z.object({
  target: z.string(),
  case: Text,
  inputBytes: z.number().nonnegative(),
  outputBytes: z.number().nonnegative(),
});
export type ProblemSize = z.infer<typeof ProblemSize>;

/** What the problem's own code shows: a line that `kernelbot_tester.workshop` answers. */
export const ProblemInspection = z.union([
  z.object({ findings: z.array(ProblemFinding), sizes: z.array(ProblemSize) }),
  z.object({ failed: Text }),
]);
export type ProblemInspection = z.infer<typeof ProblemInspection>;

export const CheckedProblem = z.object({
  /** As it was given, or found in what was given. */
  directory: z.string(),
  name: z.string(),
  /** How many submissions the judge has judged: templates and examples, and attacks. */
  judged: z.object({ examples: z.number().int(), attacks: z.number().int() }),
  tookS: z.number().nonnegative(),
  /** Errors first. */
  findings: z.array(ProblemFinding),
});
export type CheckedProblem = z.infer<typeof CheckedProblem>;

/** What `kernelbot problem check --json` prints. */
export const ProblemsChecked = z.object({
  /** Whether there is no error. */
  ok: z.boolean(),
  target: z.string(),
  tookS: z.number().nonnegative(),
  problems: z.array(CheckedProblem),
});
export type ProblemsChecked = z.infer<typeof ProblemsChecked>;

/** The findings, errors first, otherwise in their order. */
export function bySeverity(findings: readonly ProblemFinding[]): ProblemFinding[] {
  const rank = ({ severity }: ProblemFinding): number => ProblemSeverity.options.indexOf(severity);
  return findings.toSorted((one, other) => rank(one) - rank(other));
}
