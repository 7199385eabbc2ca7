import { BaselineText, type BaselineChoice } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

export const BASELINE_OPTION = {
  baseline: { type: "string", value: "eager|compiled|stored:ID", default: "eager", help: "Baseline of the speedups" },
} as const;

/** Parses the value of --baseline. @throws UsageError when it does not name a baseline. */
export function baselineChoice(text: string): BaselineChoice {
  const parsed = BaselineText.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`--baseline must be eager, compiled or stored:ID, not ${JSON.stringify(text)}`);
}
