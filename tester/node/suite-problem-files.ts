/**
 * Reads the Python files that every problem of a KernelBench suite contains:
 *
 *     suiteProblem(suite, source, readSuiteProblemFiles())
 */
import type { SuiteProblemFiles } from "@kernelbot/core";
import { readFileSync } from "node:fs";

const FOLDER = new URL("../suite_problem/", import.meta.url);

/** Reads the files. A change to them gives every suite problem a new version, because a version is the hash of its files. */
export function readSuiteProblemFiles(): SuiteProblemFiles {
  const read = (name: string): string => readFileSync(new URL(name, FOLDER), "utf8");
  return {
    "reference.py": read("reference.py"),
    "adapter.py": read("adapter.py"),
    "compiled.py": read("compiled.py"),
  };
}
