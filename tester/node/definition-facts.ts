/** Client of `kernelbot_tester.definition_facts`, which parses the code of definitions and runs nothing. */
import { spawn } from "node:child_process";
import { DefinitionFacts, KernelBotError, type TraceDefinition } from "@kernelbot/core";
import { childEnvironment } from "./child-environment.ts";
import { readLines } from "./lines.ts";
import { findPython, TESTER_DIRECTORY } from "./python.ts";

const MAX_LINE_BYTES = 4 * 1024 * 1024;

/**
 * Returns the facts about each definition, in order.
 * @throws KernelBotError `unavailable` when no suitable Python exists, or it crashes.
 */
export async function readDefinitionFacts(
  definitions: readonly Pick<TraceDefinition, "reference" | "constraints">[],
): Promise<DefinitionFacts[]> {
  const { path } = await findPython();
  const child = spawn(path, ["-B", "-m", "kernelbot_tester.definition_facts"], {
    cwd: TESTER_DIRECTORY,
    env: childEnvironment(process.env, "python"),
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => undefined); // Its end is detected where its answer is read.
  const lines = readLines(child.stdout, MAX_LINE_BYTES);
  const facts: DefinitionFacts[] = [];
  for (const { reference, constraints } of definitions) {
    child.stdin.write(`${JSON.stringify({ reference, constraints })}\n`);
    const answer: IteratorResult<string, unknown> = await lines.next();
    if (answer.done === true)
      throw new KernelBotError("unavailable", "the Python process that parses references has ended unexpectedly");
    facts.push(DefinitionFacts.parse(JSON.parse(answer.value)));
  }
  child.stdin.end();
  return facts;
}
