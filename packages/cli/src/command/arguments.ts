import { TargetName } from "@kernelbot/core";
import { UsageError } from "./exit.ts";

/** Parses a submission's number. @throws UsageError when the text is not a positive integer. */
export function submissionId(text: string): number {
  return positiveInteger(text, "the number of a submission; kernelbot list shows them");
}

/** Parses a session's number. @throws UsageError when the text is not a positive integer. */
export function sessionId(text: string): number {
  return positiveInteger(text, "the number of a session; kernelbot session start prints it");
}

/** Parses a positive integer. @throws UsageError that names `what` was expected: `a number of days`. */
export function positiveInteger(text: string, what: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < 1) {
    throw new UsageError(`${JSON.stringify(text)} is not ${what}`);
  }
  return number;
}

/**
 * Returns the targets of a repeated option, each once.
 * @throws UsageError for an invalid name
 */
export function targetsFrom(names: readonly string[], otherwise: readonly string[]): readonly string[] {
  const invalid = names.find((name) => !TargetName.safeParse(name).success);
  if (invalid !== undefined) throw new UsageError(`--target: ${JSON.stringify(invalid)} is not a valid target name`);
  return names.length > 0 ? [...new Set(names)] : otherwise;
}
