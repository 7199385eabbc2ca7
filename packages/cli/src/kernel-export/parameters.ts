/** Names of a kernel's parameters, from the problem's own words. */
import type { Problem } from "@kernelbot/core";
import { isPythonName } from "./names.ts";

/**
 * Returns the names of the values in a problem's input, in order, as its `task.py` or its description states them:
 * `(a, b, c)` in backticks. Null if the input is not a flat tuple of which every value is named.
 */
export function parametersOf({ spec, files }: Problem): string[] | null {
  const types = /^input_t\s*=\s*[Tt]uple\[([^[\]]*)\]/m.exec(files["task.py"] ?? "")?.[1];
  if (types === undefined) return null;
  const count = types.split(",").filter((type) => type.trim() !== "").length;
  const texts = [files["task.py"] ?? "", spec.description];
  const lists = texts.flatMap((text) =>
    [...text.matchAll(/`\(([^()`]*)\)`/g)].map(([, inner = ""]) => inner.split(",")),
  );
  for (const list of lists) {
    const names = list.map((name) => name.trim());
    if (names.length === count && names.every(isPythonName) && new Set(names).size === count) return names;
  }
  return null;
}

/** Returns the call of the public function: `vectoradd(a, b, c)`. */
export function signatureOf(functionName: string, parameters: readonly string[] | null): string {
  return `${functionName}(${(parameters ?? ["data"]).join(", ")})`;
}
