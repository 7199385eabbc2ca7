/** Writes a stream to disk and hashes it. */
import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { formatBytes, KernelBotError } from "@kernelbot/core";
import type { Stored } from "./store.ts";

/**
 * Writes a stream to a new file. On success the file is complete and synced; on failure it is deleted.
 * @throws KernelBotError `too_large` for more than `maxBytes`; any error of the stream.
 */
export async function spool(path: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Stored> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  try {
    await using file = await open(path, "wx", 0o600);
    for await (const chunk of bytes) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
    return { sha256: hash.digest("hex"), sizeBytes };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

function tooLarge(maxBytes: number): KernelBotError {
  return new KernelBotError("too_large", `An artifact may have ${formatBytes(maxBytes)} at most.`);
}
