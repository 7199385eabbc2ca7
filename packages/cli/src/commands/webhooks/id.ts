import { positiveInteger } from "../../command/arguments.ts";

/** Parses a webhook's number. @throws UsageError when the text is not a positive integer. */
export function webhookId(text: string): number {
  return positiveInteger(text, "the number of a webhook; kernelbot webhooks list shows them");
}
