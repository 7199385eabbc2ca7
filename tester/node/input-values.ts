/** Client of `kernelbot_tester.input_values`, which runs a problem's `generate_input` in the sandbox. */
import { spawn } from "node:child_process";
import { DescribedInputs, KernelBotError, type Case, type DescribedValue, type Problem } from "@kernelbot/core";
import { childEnvironment } from "./child-environment.ts";
import { readLines } from "./lines.ts";
import { findPython, TESTER_DIRECTORY } from "./python.ts";

/** Stored tensors are part of the answer. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/**
 * Returns the values of the input of each case, in order.
 * @throws KernelBotError `unavailable` when no suitable Python or sandbox exists, `unprocessable` when the problem's code fails.
 */
export async function readInputValues(problem: Problem, cases: readonly Case[]): Promise<DescribedValue[][]> {
  const { path } = await findPython();
  const child = spawn(path, ["-B", "-m", "kernelbot_tester.input_values"], {
    cwd: TESTER_DIRECTORY,
    env: childEnvironment(process.env, "python"),
    // Output of the problem is discarded.
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => undefined); // Its end is detected where its answer is read.
  child.stdin.end(`${JSON.stringify({ problem, cases })}\n`);
  const answer: IteratorResult<string, unknown> = await readLines(child.stdout, MAX_LINE_BYTES).next();
  if (answer.done === true)
    throw new KernelBotError("unavailable", "the Python process that generates inputs has ended unexpectedly");
  const described = DescribedInputs.parse(JSON.parse(answer.value));
  if ("unavailable" in described) throw new KernelBotError("unavailable", described.unavailable);
  if ("failed" in described)
    throw new KernelBotError(
      "unprocessable",
      `the inputs of ${problem.spec.name} cannot be generated: ${described.failed}`,
    );
  return described.cases;
}
