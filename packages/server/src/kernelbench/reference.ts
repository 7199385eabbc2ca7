import { problemVersion, referenceProblem, type Problem } from "@kernelbot/core";
import { readSuiteProblemFiles } from "@kernelbot/tester/suite-problem-files";

/**
 * Creates the problem of a reference model that is in no suite.
 * @throws KernelBotError `unprocessable` if the target is invalid.
 */
export async function buildReferenceProblem(
  source: string,
  target: string,
): Promise<{ problem: Problem; version: string }> {
  const problem = referenceProblem(source, target, readSuiteProblemFiles());
  return { problem, version: await problemVersion(problem) };
}
