/** Artifacts of a run: reading their bytes, selecting which are shown, and saving them. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { Client } from "@kernelbot/api";
import { KernelBotError, portableFileName, type Artifact, type RunArtifact, type RunDetail } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

/** Maximum number of bytes of a text artifact that is printed. Saved files are complete. */
const SHOWN_BYTES = 64 * 1024;

/** Returns the bytes of an artifact. */
export type Source = (artifact: Artifact) => AsyncIterable<Uint8Array>;

/** Returns a source that downloads a run's artifacts from the server. */
export function fromServer(client: Client, run: Pick<RunDetail, "id">): Source {
  return ({ name }) => client.artifact(run.id, name);
}

/** Returns a source that reads artifacts from a local folder. */
export function fromFolder(folder: string): Source {
  return ({ name }) => createReadStream(join(folder, name));
}

/** Returns the artifacts that have not been deleted. */
export function kept({ artifacts }: Pick<RunDetail, "artifacts">): RunArtifact[] {
  return artifacts.filter(({ deletedAt }) => deletedAt === null);
}

/**
 * Returns the default folder for the profile of a file: `kernel.profile` for `kernel.py`, in the current directory.
 */
export function defaultFolder(fileName: string): string {
  return portableFileName(`${basename(fileName, extname(fileName))}.profile`);
}

/**
 * Checks that `--out` is given only with mode `profile`.
 * @throws UsageError with any other mode, since only `profile` produces files.
 */
export function checkOut(out: string | undefined, mode: string): void {
  if (out !== undefined && mode !== "profile")
    throw new UsageError("--out requires --mode profile: other modes produce no files");
}

/** Returns the first 64 KiB of an artifact, decoded as UTF-8. */
export async function textOf(artifact: Artifact, source: Source): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of source(artifact)) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes >= SHOWN_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, SHOWN_BYTES).toString();
}

/**
 * Saves artifacts under their names and replaces existing files of these names. A file gets its name only when it is
 * complete.
 * @throws KernelBotError `unavailable` when the bytes do not match the size or hash that the server reported.
 */
export async function saveArtifacts(folder: string, artifacts: readonly Artifact[], source: Source): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const artifact of artifacts) {
    const path = join(folder, artifact.name);
    const hash = createHash("sha256");
    try {
      await using file = await open(`${path}.part`, "w");
      for await (const chunk of source(artifact)) {
        hash.update(chunk);
        await file.writeFile(chunk);
      }
      if (hash.digest("hex") !== artifact.sha256) {
        throw new KernelBotError("unavailable", `${artifact.name} was corrupted in the download; try again`);
      }
      await rename(`${path}.part`, path);
    } catch (error) {
      await rm(`${path}.part`, { force: true });
      throw error;
    }
  }
}
