/** Reads the Python files that every imported FlashInfer Trace definition contains. */
import type { TraceProblemFiles } from "@kernelbot/core";
import { readFileSync } from "node:fs";

const FOLDER = new URL("../trace_problem/", import.meta.url);

/** Reads the files. A change to them gives every imported problem a new version, because a version is the hash of its files. */
export function readTraceProblemFiles(): TraceProblemFiles {
  const read = (name: string): string => readFileSync(new URL(name, FOLDER), "utf8");
  return { "reference.py": read("reference.py"), "adapter.py": read("adapter.py") };
}
