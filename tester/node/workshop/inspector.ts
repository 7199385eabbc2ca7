/** `kernelbot_tester.workshop`: a Python process that runs the code of problems, one after the other, each in a fork. */
import { spawn } from "node:child_process";
import { childEnvironment, KernelBotError, ProblemInspection, type Problem } from "@kernelbot/core";
import { killTree } from "../kill-tree.ts";
import { readLines } from "../lines.ts";
import { findPython, TESTER_DIRECTORY } from "../python.ts";

const MAX_LINE_BYTES = 4 * 1024 * 1024;

export interface Inspector {
  /** One problem at a time. @throws KernelBotError `unavailable` where the process ends. */
  inspect(problem: Problem, target: string): Promise<ProblemInspection>;
  close(): Promise<void>;
}

/** @throws KernelBotError `unavailable` where there is no Python for it. */
export async function startInspector(): Promise<Inspector> {
  const { path } = await findPython();
  const child = spawn(path, ["-B", "-m", "kernelbot_tester.workshop"], {
    cwd: TESTER_DIRECTORY,
    env: childEnvironment(process.env, "python"),
    // What problems print is no concern of ours.
    stdio: ["pipe", "pipe", "ignore"],
    // Of its own group: a terminal's Ctrl-C reaches it only through us.
    detached: true,
  });
  const gone = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  const stop = (): void => {
    if (child.pid !== undefined && child.exitCode === null) killTree(child.pid);
  };
  process.once("exit", stop);
  child.stdin.on("error", () => undefined); // Its end is noticed where its answer is read.
  const lines = readLines(child.stdout, MAX_LINE_BYTES);
  return {
    async inspect(problem, target) {
      child.stdin.write(`${JSON.stringify({ problem, target })}\n`);
      const answer: IteratorResult<string, unknown> = await lines.next();
      if (answer.done === true)
        throw new KernelBotError("unavailable", "the Python process that checks problems has ended");
      return ProblemInspection.parse(JSON.parse(answer.value));
    },
    async close() {
      stop();
      await gone;
      process.off("exit", stop);
    },
  };
}
