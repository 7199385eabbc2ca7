/** Reads the files of a snapshot from the local disk. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { quote, SnapshotManifest, SnapshotPath } from "@kernelbot/core";
import { PublicationError } from "@kernelbot/dataset";
import type { LocalFile, LocalSnapshot } from "./destination.ts";

/**
 * Reads and hashes every file, so that only files that match the manifest are published.
 * @param earlier SHA-256 of the files that earlier snapshots stored at the destination.
 * @throws PublicationError when a file is missing or differs.
 */
export async function localSnapshot(
  directory: string,
  earlier: readonly string[],
  signal: AbortSignal,
): Promise<LocalSnapshot> {
  const manifest = await readManifest(directory);
  const known = new Map(manifest.files.map((file) => [file.path, file]));
  const files: LocalFile[] = [];
  for (const path of await pathsIn(directory)) {
    const at = join(directory, path);
    const { size } = await stat(at);
    const file = { path, at, sizeBytes: size, sha256: await sha256Of(at, signal) };
    const expected = known.get(path);
    if (expected !== undefined && expected.sha256 !== file.sha256) {
      throw new PublicationError(
        `${quote(path)} differs from its hash in dataset.json; request another snapshot`,
        null,
      );
    }
    known.delete(path);
    files.push(file);
  }
  const [missing] = known.keys();
  if (missing !== undefined) throw new PublicationError(`${quote(missing)} is missing; request another snapshot`, null);
  const here = new Set(files.map(({ sha256 }) => sha256));
  return { manifest, files, gone: earlier.filter((sha256) => !here.has(sha256)) };
}

async function readManifest(directory: string): Promise<SnapshotManifest> {
  try {
    return SnapshotManifest.parse(JSON.parse(await readFile(join(directory, "dataset.json"), "utf8")));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT")
      throw new PublicationError("dataset.json cannot be read; request another snapshot", null, { cause: error });
    const what =
      "the files of this snapshot are not on this server; servers must share a bucket or the folder datasets below --data";
    // Another server may have the files, or they are still being fetched.
    throw new PublicationError(what, 0, { cause: error });
  }
}

/** Returns the regular files in a directory whose path is valid in a snapshot, sorted. */
async function pathsIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .filter((path) => SnapshotPath.safeParse(path).success)
    .toSorted();
}

async function sha256Of(at: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(at), hash, { signal });
  return hash.digest("hex");
}
