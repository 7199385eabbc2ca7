import { SCOPES, type Scope } from "@kernelbot/core";
import { UsageError } from "./exit.ts";
import { listed } from "../output/text.ts";

/** Parses a comma-separated list of scopes. @throws UsageError that lists the valid ones. */
export function scopesOf(text: string): Scope[] {
  const words = text.split(",").map((word) => word.trim());
  return words.map((word) => {
    const scope = SCOPES.find((known) => known === word);
    if (scope === undefined)
      throw new UsageError(`there is no scope ${JSON.stringify(word)}; there are ${listed(SCOPES)}`);
    return scope;
  });
}
