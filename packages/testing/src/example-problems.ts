/** Problems of test databases. The global setup uses them too, so nothing here may import Vitest. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const TASK = `
description: Doubles a vector.
tests: [{ size: 1, seed: 1 }]
benchmarks: [{ size: 8, seed: 2 }, { size: 16, seed: 3 }]
ranking_by: mean
targets: { cpu: {}, H100: {} }
`;

/** Returns the files of a problem with two benchmarks, ranked by their mean, for the targets cpu and H100. */
export function problemFiles(change: (task: string) => string = (task) => task): Record<string, string> {
  return { "task.yml": change(TASK), "reference.py": "def ref_kernel(data): ...\n" };
}

const APPLICATION = `
application:
  cases: [{ length: 3, seed: 1 }, { length: 5, seed: 2 }]
`;

/** Returns the files of a problem like that of `problemFiles`, with an application of two cases. */
export function applicationProblemFiles(change: (task: string) => string = (task) => task): Record<string, string> {
  return {
    ...problemFiles((task) => change(`${task}${APPLICATION}`)),
    "application.py": "def run(length, seed): ...\n",
  };
}

/** The problems of the boards `double` and `triple`. */
export const EXAMPLE_PROBLEMS = { "set/double": problemFiles(), "set/triple": problemFiles() };

/** Writes SET/PROBLEM directories into a folder. */
export function writeProblems(root: string, problems: Record<string, Record<string, string>>): void {
  for (const [path, files] of Object.entries(problems)) {
    mkdirSync(join(root, path), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, path, name), text);
  }
}
