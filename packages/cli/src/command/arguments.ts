import { UsageError } from "./exit.ts";

/** Parses a submission's number. @throws UsageError when the text is not a positive integer. */
export function submissionId(text: string): number {
  return positiveInteger(text, "a submission's number, as kernelbot list shows it");
}

/** Parses a positive integer. @throws UsageError that says what was expected. */
export function positiveInteger(text: string, what: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < 1) {
    throw new UsageError(`${JSON.stringify(text)} is not ${what}`);
  }
  return number;
}
