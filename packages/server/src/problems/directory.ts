/** Problem directories on disk. */
import { lstat, readFile, readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { KernelBotError, parseProblem, quote, type Problem, type ProblemFiles } from "@kernelbot/core";

const MAX_FILE_BYTES = 1_000_000;

/**
 * The problem of a directory: the texts that lie in it directly. Hidden files, folders (such as solutions) and links are
 * no part of it.
 * @throws KernelBotError `unprocessable` that names the file and what is wrong.
 */
export async function loadProblemDirectory(path: string): Promise<Problem> {
  const name = basename(resolve(path));
  const files: ProblemFiles = {};
  for (const entry of (await readdir(path)).toSorted()) {
    if (entry.startsWith(".")) continue;
    const file = join(path, entry);
    const { size, ...stats } = await lstat(file).then((found) => ({ size: found.size, isFile: found.isFile() }));
    if (!stats.isFile) continue;
    if (size > MAX_FILE_BYTES) {
      throw new KernelBotError(
        "unprocessable",
        `problem ${quote(name)}: ${entry} is larger than ${MAX_FILE_BYTES} bytes`,
      );
    }
    files[entry] = decode(name, entry, await readFile(file));
  }
  return parseProblem(name, files);
}

function decode(problem: string, entry: string, bytes: Buffer): string {
  try {
    if (bytes.includes(0)) throw new TypeError("it holds NUL bytes");
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new KernelBotError("unprocessable", `problem ${quote(problem)}: ${entry} is not UTF-8 text`, {
      cause: error,
    });
  }
}
