import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { KernelBotError, quote } from "@kernelbot/core";

/**
 * The problem directories that a path names: itself, those of a set, or those of all sets below it.
 * @throws KernelBotError `unprocessable` where there is none.
 */
export async function problemDirectories(path: string): Promise<string[]> {
  if (await isProblem(path)) return [path];
  const below = await subdirectories(path);
  const found: string[] = [];
  for (const directory of below) {
    if (await isProblem(directory)) found.push(directory);
    else for (const inner of await subdirectories(directory)) if (await isProblem(inner)) found.push(inner);
  }
  if (found.length > 0) return found;
  throw new KernelBotError(
    "unprocessable",
    `${quote(path)} is no problem (it has no task.yml), and no set or folder of sets that has one`,
  );
}

async function isProblem(path: string): Promise<boolean> {
  return access(join(path, "task.yml")).then(
    () => true,
    () => false,
  );
}

async function subdirectories(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((cause: unknown) => {
    throw new KernelBotError("unprocessable", `there is no directory ${quote(path)}`, { cause });
  });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(path, entry.name))
    .toSorted();
}
