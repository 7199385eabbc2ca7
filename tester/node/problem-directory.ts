import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { KernelBotError, parseProblem, quote, type Problem } from "@kernelbot/core";

const MAX_FILE_BYTES = 1_000_000;

/**
 * Reads a problem from its directory: the regular files at its top, all of them text. Its name is the directory's.
 * @throws KernelBotError `unprocessable` that names the directory or the file, and what is wrong with it.
 */
export async function loadProblemDirectory(directory: string): Promise<Problem> {
  const path = resolve(directory);
  const entries = await readdir(path, { withFileTypes: true }).catch((cause: unknown) => {
    throw new KernelBotError("unprocessable", `there is no problem directory ${quote(path)}`, { cause });
  });
  const files: Record<string, string> = {};
  for (const { name } of entries.filter((entry) => entry.isFile())) {
    const bytes = await readFile(join(path, name));
    if (bytes.length > MAX_FILE_BYTES) {
      throw new KernelBotError("unprocessable", `${quote(join(path, name))} is larger than ${MAX_FILE_BYTES} bytes`);
    }
    try {
      files[name] = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (cause) {
      throw new KernelBotError("unprocessable", `${quote(join(path, name))} is not UTF-8 text`, { cause });
    }
  }
  return parseProblem(basename(path), files);
}
