import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { readProblem, type Problem } from "@kernelbot/core";

/** The problem of a directory on disk. @throws KernelBotError `unprocessable` that names the file and what is wrong. */
export async function loadProblemDirectory(directory: string): Promise<Problem> {
  const path = resolve(directory);
  const entries = (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isFile());
  const files = entries.map(async ({ name }) => {
    const file = join(path, name);
    return { name, sizeBytes: (await stat(file)).size, read: () => readFile(file) };
  });
  return readProblem(basename(path), await Promise.all(files));
}
