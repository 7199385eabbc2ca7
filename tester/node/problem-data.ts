import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "@kernelbot/core";

/**
 * Loads a problem stored as data: `spec.json`, core's `ProblemSpec`, and its files. The tester's own problems have this
 * format, since Python reads them too and has no parser of `task.yml`.
 */
export async function loadProblemData(directory: string): Promise<Problem> {
  const entries = await readdir(directory, { withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map(async ({ name }) => [name, await readFile(join(directory, name), "utf8")] as const);
  const { "spec.json": spec = "", ...files } = Object.fromEntries(await Promise.all(texts));
  return Problem.parse({ spec: JSON.parse(spec) as unknown, files });
}
