/** Problems of a KernelBench checkout: `level1/19_ReLU.py` is problem 19 of level 1. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { byKernelKey, LEVELS, type Level, type SuiteKey } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";

export interface CheckoutProblem extends SuiteKey {
  fileName: string;
  source: string;
}

const FILE_NAME = /^(\d{1,3})_.+\.py$/;
const MAX_PROBLEM_BYTES = 200_000;

/**
 * Reads the folders `level1` to `level3` of the checkout or of its folder `KernelBench`.
 * @throws UsageError when none exists, or two files are the same problem.
 */
export async function readCheckout(checkout: string): Promise<CheckoutProblem[]> {
  for (const root of [join(checkout, "KernelBench"), checkout]) {
    const problems = (await Promise.all(LEVELS.map((level) => readLevel(join(root, `level${level}`), level)))).flat();
    if (problems.length === 0) continue;
    const sorted = problems.sort(byKernelKey);
    const twice = sorted.find((each, at) => at > 0 && byKernelKey(each, sorted[at - 1] ?? each) === 0);
    if (twice === undefined) return sorted;
    throw new UsageError(`${JSON.stringify(root)} has two files for problem ${twice.problem} of level ${twice.level}`);
  }
  throw new UsageError(
    `${JSON.stringify(checkout)} is not a KernelBench checkout: it has no problem such as KernelBench/level1/19_ReLU.py`,
  );
}

async function readLevel(folder: string, level: Level): Promise<CheckoutProblem[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw new UsageError(`${JSON.stringify(folder)} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const numbered = names.flatMap((fileName) => {
    const problem = Number(FILE_NAME.exec(fileName)?.[1] ?? 0);
    return problem > 0 ? [{ level, problem, fileName }] : [];
  });
  return Promise.all(
    numbered.map(async (each) => {
      const bytes = await readFile(join(folder, each.fileName));
      if (bytes.length <= MAX_PROBLEM_BYTES) return { ...each, source: bytes.toString() };
      throw new UsageError(
        `${JSON.stringify(join(folder, each.fileName))} is larger than ${MAX_PROBLEM_BYTES / 1000} kB, the maximum for a problem`,
      );
    }),
  );
}
