import { positiveInteger } from "../../command/arguments.ts";

/** Parses a webhook's number. @throws UsageError when the text is not a positive integer. */
export function webhookId(text: string): number {
  return positiveInteger(text, "a webhook's number, as kernelbot webhooks list shows it");
}
