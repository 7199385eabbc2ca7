/** Provides the seed of this run's samples (`sample.ts`): `KERNELBOT_SAMPLE`, otherwise the commit. */
import { execFileSync } from "node:child_process";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Seed of the samples of this run, or `all`. */
    sample: string;
  }
}

export default function (project: TestProject): void {
  const seed = process.env["KERNELBOT_SAMPLE"] ?? commit();
  project.provide("sample", seed);
  const repeat = `the seed ${seed} (KERNELBOT_SAMPLE=${seed} repeats them, KERNELBOT_SAMPLE=all tests all)`;
  console.log(seed === "all" ? "All cases of long lists" : `Some cases of long lists, drawn by ${repeat}`);
}

/** Returns the checkout's commit, so that a commit always has the same sample; outside of a checkout, the day. */
function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  } catch {
    return new Date().toISOString().slice(0, 10);
  }
}
