import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { readProblem, type DirectoryFile, type Problem } from "@kernelbot/core";

/** The problem of a directory on disk. @throws KernelBotError `unprocessable` that names the file and what is wrong. */
export async function loadProblemDirectory(directory: string): Promise<Problem> {
  const path = resolve(directory);
  const entries = (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isFile());
  const files = entries.map(async ({ name }) => {
    const file = join(path, name);
    return { name, sizeBytes: (await stat(file)).size, read: () => readFile(file) };
  });
  return readProblem(basename(path), await Promise.all(files), (source) => find(path, source));
}

/** The regular file at `path` below `directory`, or null where there is none inside the root of all problems. */
async function find(directory: string, path: string): Promise<DirectoryFile | null> {
  // ROOT/SET/PROBLEM: problems of a set share files, and sets may.
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
