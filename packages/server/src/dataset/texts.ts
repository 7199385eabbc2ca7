/** The documents of a snapshot. */
import { createHash } from "node:crypto";
import type { SnapshotManifest } from "@kernelbot/core";
import { cardText, checksums, skillsText } from "@kernelbot/dataset";

/** Returns the documents, derived from the manifest of the tables, by path. */
export function textsOf(manifest: SnapshotManifest): Record<string, string> {
  const texts = { "README.md": cardText(manifest), "skills.md": skillsText(manifest) };
  const hashed = Object.entries(texts).map(([path, text]) => ({
    path,
    sha256: createHash("sha256").update(text).digest("hex"),
  }));
  return { ...texts, SHA256SUMS: checksums([...manifest.files, ...hashed]) };
}
