/** The files of a snapshot that are for people and their programs to read. */
import type { SnapshotManifest } from "@kernelbot/core";

/** Texts that follow from the manifest, by their paths. */
export function textsOf(_manifest: SnapshotManifest): Record<string, string> {
  return {};
}
