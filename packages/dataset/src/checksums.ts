/** What `sha256sum --check SHA256SUMS` reads. */
import type { SnapshotFile } from "@kernelbot/core";

/** The checksums of files, in the format of coreutils. Their paths hold nothing that it would escape. */
export function checksums(files: readonly Pick<SnapshotFile, "path" | "sha256">[]): string {
  const order = files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  return order.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join("");
}
