import { SCOPES, type Scope } from "@kernelbot/core";
import { UsageError } from "./exit.ts";

/** Parses a comma-separated list of scopes. @throws UsageError that lists the valid ones. */
export function scopesOf(text: string): Scope[] {
  const words = text.split(",").map((word) => word.trim());
  return words.map((word) => {
    const scope = SCOPES.find((known) => known === word);
    if (scope === undefined) throw new UsageError(`${JSON.stringify(word)} is not a scope; use ${SCOPES.join(", ")}`);
    return scope;
  });
}
