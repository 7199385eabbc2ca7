/** Writes generated problems to a directory. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { quote } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

export interface GeneratedProblem {
  name: string;
  /** Text of each file, by its path in the directory of the problem. */
  files: Record<string, string>;
}

/**
 * Writes problems to `directory/NAME`, and leaves those that are there already.
 * @returns the number of new ones
 * @throws UsageError when a file of that name has other content; the problems before it are written then.
 */
export async function writeGenerated(directory: string, problems: Iterable<GeneratedProblem>): Promise<number> {
  let created = 0;
  for (const { name, files } of problems) {
    const entries = Object.entries(files).map(([path, text]) => [join(directory, name, path), text] as const);
    const present = await Promise.all(entries.map(([path, text]) => isPresent(path, text)));
    if (present.every(Boolean)) continue;
    created += 1;
    for (const folder of new Set(entries.map(([path]) => dirname(path)))) await mkdir(folder, { recursive: true });
    await Promise.all(entries.map(([path, text]) => writeFile(path, text)));
  }
  return created;
}

/** Whether a file has this text; false when there is none. @throws UsageError when it has another text */
async function isPresent(path: string, text: string): Promise<boolean> {
  const before = await readFile(path, "utf8").catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  });
  if (before === null || before === text) return before !== null;
  throw new UsageError(
    `${quote(path)} has other content: it was edited, or generated for other targets, by another version or from other documents; use another --out`,
  );
}
