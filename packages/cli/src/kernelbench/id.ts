import { positiveInteger } from "../id.ts";

/** The number of an entry. @throws UsageError where the text is none. */
export function entryId(text: string): number {
  return positiveInteger(text, "an entry's number, as kernelbot kernelbench list shows it");
}
