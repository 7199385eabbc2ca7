/** Help text of the program: all commands, exit codes and environment variables. */
import { EXIT_MEANINGS } from "./command/exit.ts";
import { tableLines } from "./command/group.ts";
import { COMMANDS, SECTIONS } from "./commands.ts";

/** Environment variables that the program reads. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ["KERNELBOT_SERVER", "address of the server, unless --server is given"],
  ["KERNELBOT_TOKEN", "token, in place of the one that kernelbot login stored"],
  ["KERNELBOT_AUTHOR", "who writes the kernels: human, assisted or autonomous"],
  ["KERNELBOT_MODEL", "name of the model that assists or writes"],
  ["KERNELBOT_PYTHON", "Python interpreter for judging on this machine"],
  ["KERNELBOT_DEBUG", "1 prints stack traces of errors"],
  ["NO_COLOR", "any value turns colours off"],
];

export function programHelp(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  return [
    "kernelbot: submit accelerator kernels, watch them run and read leaderboards.",
    "",
    "Usage: kernelbot COMMAND [arguments] [options]",
    ...SECTIONS.flatMap(({ title, commands }) => ["", `${title}:`, ...tableLines(commands, width)]),
    "",
    "Run kernelbot COMMAND --help for the arguments and options of a command.",
    "",
    "Exit codes:",
    ...EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padEnd(3)}  ${meaning}`),
    "",
    "Environment variables:",
    ...ENVIRONMENT.map(([name, meaning]) => `  ${name.padEnd(16)}  ${meaning}`),
  ].join("\n");
}
