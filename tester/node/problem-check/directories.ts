import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { KernelBotError, quote } from "@kernelbot/core";
import { MAX_PROBLEM_DEPTH } from "../competition-files.ts";

/**
 * Returns the problem directories of a path: itself, or all below it, such as those of a set or a repository. As in a
 * sync, a subfolder `problems` is used instead of the rest, and hidden folders are skipped.
 * @throws KernelBotError `unprocessable` when there is none.
 */
export async function problemDirectories(path: string): Promise<string[]> {
  if (await exists(join(path, "task.yml"))) return [path];
  const inner = join(path, "problems");
  const found = await directoriesBelow((await exists(inner)) ? inner : path, MAX_PROBLEM_DEPTH);
  if (found.length > 0) return found;
  throw new KernelBotError(
    "unprocessable",
    `${quote(path)} has no task.yml, and no subfolder has one: name a problem, a set of problems, or a repository ` +
      "with SET/PROBLEM/task.yml in it or in its folder problems",
  );
}

async function directoriesBelow(path: string, depth: number): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((cause: unknown) => {
    throw new KernelBotError("unprocessable", `directory ${quote(path)} not found`, { cause });
  });
  const found: string[] = [];
  for (const name of entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).toSorted()) {
    const directory = join(path, name);
    if (name.startsWith(".") || name === "node_modules") continue;
    if (await exists(join(directory, "task.yml"))) found.push(directory);
    else if (depth > 1) found.push(...(await directoriesBelow(directory, depth - 1)));
  }
  return found;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
