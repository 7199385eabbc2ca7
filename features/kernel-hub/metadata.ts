/** `metadata.json` of a build, which the loader of the Hub requires. */
import { createHash } from "node:crypto";
import type { Backend } from "@kernelbot/cli/src/kernel-export/backend.ts";

interface BuildMetadata {
  name: string;
  /** Name under which the loader imports the build. */
  id: string;
  version: number;
  /** Identifier of the licence, as the Hub writes it: in lower case. */
  license: string;
  packages: readonly string[];
  backend: Backend;
}

/**
 * Returns the text of `metadata.json`.
 * @param files All other files of the build by their path in it.
 */
export function metadataText(
  { name, id, version, license, packages, backend }: BuildMetadata,
  files: ReadonlyMap<string, string>,
): string {
  const hashes = [...files]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, text]) => [path, digest(text)]);
  const metadata = {
    name,
    id,
    version,
    license,
    "python-depends": packages,
    "kernel-depends": [],
    backend: { type: backend.type, ...(backend.archs.length > 0 && { archs: backend.archs }) },
    digest: { algorithm: "sha256", files: Object.fromEntries(hashes) as Record<string, string> },
  };
  return `${JSON.stringify(metadata, null, 2)}\n`;
}

/** Returns the SHA-256 of a text in base64. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
