/** Constructors of findings: `error("examples", "solutions/", "no fast_* example", "Write one")`. */
import type { ProblemFinding } from "@kernelbot/core";

const findingOf =
  (severity: ProblemFinding["severity"]) =>
  (check: string, where: string, what: string, todo: string | null): ProblemFinding => ({
    severity,
    check,
    where,
    what: shortened(what),
    todo,
  });

export const error = findingOf("error");
export const warning = findingOf("warning");
export const note = findingOf("note");

/** Returns a text of at most the schema's length: messages of a judge may be long. */
function shortened(text: string): string {
  return text.length <= 1_000 ? text : `${text.slice(0, 1_000)}...`;
}
