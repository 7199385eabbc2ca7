import { SCOPES, type Scope } from "@kernelbot/core";
import { UsageError } from "./exit.ts";
import { listed } from "./text.ts";

/** Scopes of an option, by commas. @throws UsageError that lists what there is. */
export function scopesOf(text: string): Scope[] {
  const words = text.split(",").map((word) => word.trim());
  return words.map((word) => {
    const scope = SCOPES.find((known) => known === word);
    if (scope === undefined)
      throw new UsageError(`there is no scope ${JSON.stringify(word)}; there are ${listed(SCOPES)}`);
    return scope;
  });
}
