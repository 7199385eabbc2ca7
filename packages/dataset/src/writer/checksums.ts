/** SHA256SUMS, as read by `sha256sum --check SHA256SUMS`. */
import type { SnapshotFile } from "@kernelbot/core";

/** Formats the checksums of files as coreutils do. The paths have no characters that coreutils would escape. */
export function checksums(files: readonly Pick<SnapshotFile, "path" | "sha256">[]): string {
  const order = files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return order.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join("");
}
