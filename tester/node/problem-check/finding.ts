/** Constructors of findings: `error("solutions", "solutions/", "no fast_*", "Write one")`. */
import type { ProblemFinding } from "@kernelbot/core";

const of =
  (severity: ProblemFinding["severity"]) =>
  (check: string, where: string, what: string, todo: string | null): ProblemFinding => ({
    severity,
    check,
    where,
    what: cut(what),
    todo,
  });

export const error = of("error");
export const warning = of("warning");
export const note = of("note");

/** Limits a text to the schema's length: messages of a judge may be long. */
function cut(text: string): string {
  return text.length <= 1_000 ? text : `${text.slice(0, 1_000)}...`;
}
