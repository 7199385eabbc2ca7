import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { KernelBotError, quote, readProblem, type DirectoryFile, type Problem } from "@kernelbot/core";

/**
 * Loads the problem of a directory. @throws KernelBotError `unprocessable` that names the directory or file and the
 * error.
 */
export async function loadProblemDirectory(directory: string): Promise<Problem> {
  const path = resolve(directory);
  const entries = await readdir(path, { withFileTypes: true }).catch((cause: unknown) => {
    throw new KernelBotError("unprocessable", `problem directory ${quote(path)} not found`, { cause });
  });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(async ({ name }) => {
      const file = join(path, name);
      return { name, sizeBytes: (await stat(file)).size, read: () => readFile(file) };
    });
  return readProblem(basename(path), await Promise.all(files), (source) => find(path, source));
}

/**
 * Returns the regular file at `path` relative to `directory`; null when it does not exist or is outside the root of all
 * problems.
 */
async function find(directory: string, path: string): Promise<DirectoryFile | null> {
  // ROOT/SET/PROBLEM: problems of a set share files, and sets may, too.
  const root = resolve(directory, "../..");
  try {
    const file = await realpath(resolve(directory, path));
    const about = await stat(file);
    if (!about.isFile() || !file.startsWith(join(await realpath(root), sep))) return null;
    return { name: path, sizeBytes: about.size, read: () => readFile(file) };
  } catch {
    return null;
  }
}
