import type { Option } from "../../command.ts";
import { UsageError } from "../../exit.ts";

export const REASON_OPTION = {
  reason: { type: "string", short: "r", value: "TEXT", help: "Why, in public" },
} as const satisfies Record<string, Option>;

/** @throws UsageError where there is no reason. */
export function needed(reason: string | undefined): string {
  if (reason === undefined || reason.trim() === "") throw new UsageError("say why with --reason");
  return reason;
}
