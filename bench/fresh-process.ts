/** The peer of benches that judge: a fresh Python process, which imports PyTorch and does not isolate the code. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { TESTER_DIRECTORY } from "@kernelbot/tester";

/** Returns the duration of a process that runs one stage of a submission, in milliseconds. */
export function freshProcessMs(
  python: string,
  stage: "prepare" | "test" | "reward",
  problem: string,
  solution: string,
): number {
  const started = performance.now();
  const args = [join(import.meta.dirname, "fresh_process.py"), stage, problem, solution];
  // Problems import the tester's generators of inputs.
  const env = { ...process.env, PYTHONPATH: TESTER_DIRECTORY };
  const { status, stderr } = spawnSync(python, args, { encoding: "utf8", env });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - started;
}
