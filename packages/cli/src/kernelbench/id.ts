import { positiveInteger } from "../command/arguments.ts";

/** Parses an entry's number. @throws UsageError when the text is not a positive integer. */
export function entryId(text: string): number {
  return positiveInteger(text, "the number of an entry; kernelbot kernelbench list shows them");
}
