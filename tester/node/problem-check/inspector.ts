/**
 * Client of `kernelbot_tester.problem_check`: a Python process that runs the code of problems one after another, each in a
 * fork.
 */
import { spawn } from "node:child_process";
import { KernelBotError, ProblemInspection, type Problem, type ProblemInspectionRequest } from "@kernelbot/core";
import { childEnvironment } from "../child-environment.ts";
import { killTree } from "../kill-tree.ts";
import { readLines } from "../lines.ts";
import { findPython, TESTER_DIRECTORY } from "../python.ts";

const MAX_LINE_BYTES = 4 * 1024 * 1024;

export interface Inspector {
  /**
   * Inspects one problem at a time.
   * @throws KernelBotError `unavailable` when the process ends, or cannot sandbox itself.
   */
  inspect(problem: Problem, target: string): Promise<Exclude<ProblemInspection, { unavailable: string }>>;
  close(): Promise<void>;
}

/**
 * Starts the process. Code of problems runs in the sandbox, unless `unsafeNoSandbox`.
 * @throws KernelBotError `unavailable` when there is no suitable Python.
 */
export async function startInspector(unsafeNoSandbox = false): Promise<Inspector> {
  const { path } = await findPython();
  const child = spawn(
    path,
    ["-B", "-m", "kernelbot_tester.problem_check", ...(unsafeNoSandbox ? ["--unsafe-no-sandbox"] : [])],
    {
      cwd: TESTER_DIRECTORY,
      env: childEnvironment(process.env, "python"),
      // Output of problems is discarded.
      stdio: ["pipe", "pipe", "ignore"],
      // A process group of its own, so that a terminal's Ctrl-C does not reach it directly.
      detached: true,
    },
  );
  const gone = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("close", () => resolve());
  });
  const stop = (): void => {
    if (child.pid !== undefined && child.exitCode === null) killTree(child.pid);
  };
  process.once("exit", stop);
  child.stdin.on("error", () => undefined); // Its end is detected where its answer is read.
  const lines = readLines(child.stdout, MAX_LINE_BYTES);
  return {
    async inspect(problem, target) {
      const request: ProblemInspectionRequest = { problem, target };
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const answer: IteratorResult<string, unknown> = await lines.next();
      if (answer.done === true)
        throw new KernelBotError(
          "unavailable",
          "the Python process that checks problems has ended: kernelbot doctor says what this machine lacks",
        );
      const inspection = ProblemInspection.parse(JSON.parse(answer.value));
      if ("unavailable" in inspection) throw new KernelBotError("unavailable", inspection.unavailable);
      return inspection;
    },
    async close() {
      stop();
      await gone;
      process.off("exit", stop);
    },
  };
}
