/** Names of an exported kernel, and of what it defines in Python. */

export interface KernelNames {
  /** Name in the Hub's metadata: lower-case letters, digits and hyphens. */
  hub: string;
  /** The same name as a Python identifier: of the package and of its public function. */
  python: string;
}

const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/** Returns whether a text is an identifier of Python and not a keyword. */
export function isPythonName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && !KEYWORDS.has(text) && !["None", "True", "False"].includes(text);
}
