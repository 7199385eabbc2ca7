/**
 * Downloads the files of a snapshot into a folder. Complete files are kept; partial files are resumed where they end.
 */
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Client } from "@kernelbot/api";
import { KernelBotError, type SnapshotFile, type SnapshotManifest } from "@kernelbot/core";

/** Pauses in ms before a broken download is resumed; the count resets when new bytes arrive. */
const PAUSES_MS = [200, 1000, 4000];
/** The manifest is not in the list of files and is written last, so a folder that contains it is complete. */
const MANIFEST = "dataset.json";

export interface Downloaded {
  path: string;
  sizeBytes: number;
  /** Whether the complete file already existed. */
  kept: boolean;
}

/**
 * Downloads the given files of a snapshot and checks their hashes.
 * @param onBytes receives the number of additional bytes present, those of earlier downloads included; negative when a damaged file is discarded
 * @throws KernelBotError `unavailable` when a file cannot be downloaded, or is damaged twice.
 */
export async function downloadSnapshot(
  { datasets }: Pick<Client, "datasets">,
  { id }: SnapshotManifest,
  files: readonly SnapshotFile[],
  folder: string,
  onBytes: (bytes: number) => void,
): Promise<Downloaded[]> {
  const done: Downloaded[] = [];
  for (const file of files) {
    const path = join(folder, file.path);
    await mkdir(dirname(path), { recursive: true });
    const kept = await isComplete(path, file);
    if (kept) onBytes(file.sizeBytes);
    else await downloadFile((from) => datasets.file(id, file.path, { from, sha256: file.sha256 }), path, file, onBytes);
    done.push({ path: file.path, sizeBytes: file.sizeBytes, kept });
  }
  await downloadManifest(datasets.file(id, MANIFEST), join(folder, MANIFEST));
  return done;
}

async function isComplete(path: string, { sizeBytes, sha256 }: SnapshotFile): Promise<boolean> {
  if ((await sizeOf(path)) !== sizeBytes) return false;
  return (await hashOf(path)).digest("hex") === sha256;
}

type Bytes = (from: number) => AsyncIterable<Uint8Array>;

/** Downloads a file; it gets its name only when it is complete and its hash is correct. */
async function downloadFile(
  bytes: Bytes,
  path: string,
  file: SnapshotFile,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const part = `${path}.part`;
  if (((await sizeOf(part)) ?? 0) > file.sizeBytes) await rm(part);
  for (let isSecond = false; ; isSecond = true) {
    const sha256 = await downloadRest(bytes, part, file, onBytes);
    if (sha256 === file.sha256) return rename(part, path);
    onBytes(-file.sizeBytes);
    await rm(part);
    if (isSecond)
      throw new KernelBotError("unavailable", `${file.path} was corrupted in two downloads; try again later`);
  }
}

/** Downloads until the file has its full size, resuming after broken connections. @returns the SHA-256 of the file. */
async function downloadRest(
  bytes: Bytes,
  part: string,
  { sizeBytes }: SnapshotFile,
  onBytes: (bytes: number) => void,
): Promise<string> {
  let size = (await sizeOf(part)) ?? 0;
  const hash = await hashOf(part);
  onBytes(size);
  let tries = 0;
  await using file = await open(part, "a");
  while (size < sizeBytes) {
    try {
      for await (const chunk of bytes(size)) {
        const rest = chunk.subarray(0, sizeBytes - size);
        await file.writeFile(rest);
        hash.update(rest);
        size += rest.length;
        onBytes(rest.length);
        tries = 0;
        if (rest.length < chunk.length) break;
      }
    } catch (error) {
      if (!(error instanceof KernelBotError) || error.status < 500 || tries >= PAUSES_MS.length) throw error;
    }
    if (size === sizeBytes) break;
    const pause = PAUSES_MS[tries];
    if (pause === undefined)
      throw new KernelBotError("unavailable", `the download of ${part} keeps breaking off; try again later`);
    await new Promise((resolve) => setTimeout(resolve, pause));
    tries += 1;
  }
  return hash.digest("hex");
}

async function downloadManifest(bytes: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const part = `${path}.part`;
  {
    await using file = await open(part, "w");
    for await (const chunk of bytes) await file.writeFile(chunk);
  }
  await rename(part, path);
}

async function sizeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.size ?? null;
}

/** Returns the hash state of the bytes that already exist, to be continued with further bytes. */
async function hashOf(path: string): Promise<Hash> {
  const hash = createHash("sha256");
  if ((await sizeOf(path)) === null) return hash;
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash;
}
