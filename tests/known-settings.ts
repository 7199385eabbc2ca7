/** What the programs understand, for tests of the files that start them. */
import { parseOptions, RUNNER_OPTIONS, RUNNER_VARIABLES } from "../packages/runner/src/options.ts";
import { readCommand } from "../packages/server/src/config.ts";
import { COMMANDS, COMMON_OPTIONS, VARIABLES } from "../packages/server/src/options.ts";

function variablesOf(options: object): string[] {
  return Object.values(options as Record<string, { environment?: string }>).flatMap(({ environment }) =>
    environment === undefined ? [] : [environment],
  );
}

const SERVER_VARIABLES = new Set([
  ...Object.values(COMMANDS).flatMap(({ options }) => variablesOf(options)),
  ...variablesOf(COMMON_OPTIONS),
  ...Object.values(VARIABLES).flatMap((group) => Object.keys(group)),
]);
const KNOWN: Readonly<Record<string, ReadonlySet<string>>> = {
  "kernelbot-server": SERVER_VARIABLES,
  "kernelbot-runner": new Set([...variablesOf(RUNNER_OPTIONS), ...Object.keys(RUNNER_VARIABLES)]),
};

/** Parses the command line of a program with its environment, as the program does. @throws what the program reports */
export function startProgram([program = "", ...args]: readonly string[], env: Record<string, string>): void {
  const unknown = Object.keys(env).filter((name) => KNOWN[program]?.has(name) !== true);
  if (unknown.length > 0) throw new Error(`${program || "no program"} has no variable ${unknown.join(", ")}`);
  if (program === "kernelbot-runner") parseOptions(args, { KERNELBOT_RUNNER_TOKEN: "kb_x", ...env });
  else readCommand(args, env);
}
