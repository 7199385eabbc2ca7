import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { readProblem, type DirectoryFile, type Problem } from "@kernelbot/core";

/** Returns the problem of a directory on disk. @throws KernelBotError `unprocessable` with the file and the error. */
export async function loadProblemDirectory(directory: string): Promise<Problem> {
  const path = resolve(directory);
  const entries = (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isFile());
  const files = entries.map(async ({ name }) => {
    const file = join(path, name);
    return { name, sizeBytes: (await stat(file)).size, read: () => readFile(file) };
  });
  return readProblem(basename(path), await Promise.all(files), (source) => find(path, source));
}

/**
 * Returns the regular file at `path` relative to `directory`, or null if it does not exist or is outside the root of
 * all problems.
 */
async function find(directory: string, path: string): Promise<DirectoryFile | null> {
  // ROOT/SET/PROBLEM: problems may share files within a set and between sets.
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
