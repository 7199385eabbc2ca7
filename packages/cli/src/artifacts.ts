/** The files of a run: where their bytes come from, which of them are shown, and how they are saved. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { KernelBotError, type Artifact, type Client, type RunArtifact, type RunDetail } from "@kernelbot/core";
import { UsageError } from "./exit.ts";

/** Of a text, as much as is shown at most, in bytes; all of it can be saved. */
const SHOWN_BYTES = 64 * 1024;

/** Gives the bytes of an artifact. */
export type Source = (artifact: Artifact) => AsyncIterable<Uint8Array>;

/** The artifacts of a run that a server has. */
export function fromServer(client: Client, run: Pick<RunDetail, "id">): Source {
  return ({ name }) => client.artifact(run.id, name);
}

/** The artifacts that lie in a folder of this machine. */
export function fromFolder(folder: string): Source {
  return ({ name }) => createReadStream(join(folder, name));
}

/** The artifacts that are still there. */
export function kept({ artifacts }: Pick<RunDetail, "artifacts">): RunArtifact[] {
  return artifacts.filter(({ deletedAt }) => deletedAt === null);
}

/** Where a profile of a file goes that nobody named a folder for: `kernel.profile` for `kernel.py`, in this directory. */
export function defaultFolder(fileName: string): string {
  return `${basename(fileName, extname(fileName))}.profile`;
}

/** @throws UsageError where no file will come. */
export function checkOut(out: string | undefined, mode: string): void {
  if (out !== undefined && mode !== "profile")
    throw new UsageError("--out takes files, and only mode profile leaves some");
}

/** The head of a text, as UTF-8. */
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
 * Saves artifacts under their names, in place of what has these names. A file has its name only when it is whole.
 * @throws KernelBotError `unavailable` when the bytes are not those that were told of.
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
        throw new KernelBotError("unavailable", `${artifact.name} came damaged; try again`);
      }
      await rename(`${path}.part`, path);
    } catch (error) {
      await rm(`${path}.part`, { force: true });
      throw error;
    }
  }
}
