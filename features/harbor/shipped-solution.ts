/** Solutions that problem sets contain next to their problems; the server does not have them. */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { EXTENSIONS, quote, type Language } from "@kernelbot/core";
import { UsageError } from "@kernelbot/cli/src/command/exit.ts";

/**
 * Returns the source of a problem's solution below a folder of problem sets: a fast one, else a correct one.
 * @returns null if there is none in this language.
 * @throws UsageError if the folder does not exist.
 */
export async function shippedSolution(folder: string, problem: string, language: Language): Promise<string | null> {
  const sets = await readdir(folder).catch((cause: unknown) => {
    throw new UsageError(`directory ${quote(folder)} not found`, { cause });
  });
  const folders = ["", ...sets].map((set) => join(folder, set, problem, "solutions"));
  const [best] = (await Promise.all(folders.map((solutions) => sourcesIn(solutions, language))))
    .flat()
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return best === undefined ? null : readFile(best, "utf8");
}

async function sourcesIn(solutions: string, language: Language): Promise<string[]> {
  const names = existsSync(solutions) ? await readdir(solutions) : [];
  return names
    .filter((name) => /^(fast|correct)/.test(name) && name.endsWith(EXTENSIONS[language][0]))
    .map((name) => join(solutions, name));
}

function rank(path: string): number {
  return /\/fast[^/]*$/.test(path) ? 0 : 1;
}
