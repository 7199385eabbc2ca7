import { positiveInteger } from "../command/arguments.ts";

/** Parses an entry's number. @throws UsageError when the text is not a positive integer. */
export function entryId(text: string): number {
  return positiveInteger(text, "an entry's number, as kernelbot kernelbench list shows it");
}
