/** Files of entries: read with a size limit and written atomically. */
import { mkdir, open, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { decodeUtf8, KernelBotError } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

/** Reads a UTF-8 file. @throws UsageError when it is missing, not valid UTF-8, or longer than `maxBytes`. */
export async function readBounded(path: string, maxBytes: number): Promise<string> {
  const name = JSON.stringify(path);
  try {
    await using file = await open(path);
    const bytes = Buffer.alloc(Math.min((await file.stat()).size, maxBytes + 1));
    const { bytesRead } = await file.read(bytes);
    if (bytesRead > maxBytes) throw new UsageError(`${name} is longer than ${maxBytes.toLocaleString("en-US")} bytes`);
    return decodeUtf8(bytes.subarray(0, bytesRead));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof KernelBotError) throw new UsageError(`${name}: ${error.message}`, { cause: error });
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read: ${message}`;
    throw new UsageError(`${name} ${why}`, { cause: error });
  }
}

/** Parses JSON; undefined when it is invalid. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes a file and creates its parent folders. The file gets its name only when it is complete. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.part`, text);
  await rename(`${path}.part`, path);
}
