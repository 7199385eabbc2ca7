import { UsageError } from "./exit.ts";

/** The number of a submission. @throws UsageError where the text is none. */
export function submissionId(text: string): number {
  return positiveInteger(text, "a submission's number, as kernelbot list shows it");
}

/** A whole number from 1. @throws UsageError that says what was wanted. */
export function positiveInteger(text: string, what: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < 1) {
    throw new UsageError(`${JSON.stringify(text)} is not ${what}`);
  }
  return number;
}
