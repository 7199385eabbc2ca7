/** Names of an exported kernel: of its repository, of its Python module and function, and of a build of it. */
import { UsageError } from "../command/exit.ts";

export interface KernelNames {
  /** Name in the Hub's metadata: lower-case letters, digits and hyphens. */
  hub: string;
  /** The same name as a Python identifier: of the package and of its public function. */
  python: string;
}

const HUB_NAME = /^[a-z][-a-z0-9]*[a-z0-9]$/;

/** Keywords of Python that match `HUB_NAME`. */
const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/**
 * Returns the names of a kernel, by default after its problem.
 * @throws UsageError if a chosen name is not valid.
 */
export function kernelNames(problem: string, chosen: string | undefined): KernelNames {
  if (chosen !== undefined && (!HUB_NAME.test(chosen) || KEYWORDS.has(chosen))) {
    throw new UsageError(
      `--name: ${JSON.stringify(chosen)} is not a valid kernel name; use lower-case letters, digits and hyphens, such as scale-rows`,
    );
  }
  const plain = problem.replaceAll("_", "-").replace(/-+$/, "");
  const hub = chosen ?? (HUB_NAME.test(plain) && !KEYWORDS.has(plain) ? plain : `kernel-${plain}`);
  return { hub, python: hub.replaceAll("-", "_") };
}

/** Returns the name under which a loader imports a build: different for each source and backend. */
export function buildId({ python }: KernelNames, backend: string, sourceSha256: string): string {
  return `_${python}_${backend}_${sourceSha256.slice(0, 7)}`;
}

/** Returns whether a text is an identifier of Python and not a keyword. */
export function isPythonName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text) && !KEYWORDS.has(text) && !["None", "True", "False"].includes(text);
}
