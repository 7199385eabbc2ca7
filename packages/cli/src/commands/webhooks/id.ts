import { positiveInteger } from "../../id.ts";

/** The number of a webhook. @throws UsageError where the text is none. */
export function webhookId(text: string): number {
  return positiveInteger(text, "a webhook's number, as kernelbot webhooks list shows it");
}
