/** Help text of the program, which fits a screen, and of its topics. */
import { EXIT_MEANINGS, UsageError } from "./command/exit.ts";
import { commandHelp, tableLines, type CommandTable } from "./command/group.ts";
import { COMMANDS, TOPICS } from "./commands.ts";

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

/** The commands that a participant uses, in the order of their first use. */
const FIRST = ["login", "problems", "join", "init", "eval", "submit", "watch", "show", "list", "board"];

/** Topics by name, with what each prints. */
const HELP_TOPICS: Readonly<Record<string, { about: string; lines: () => string[] }>> = {
  ...Object.fromEntries(
    TOPICS.map(({ name, about, commands }) => [name, { about, lines: () => commandLines(commands) }]),
  ),
  environment: { about: "Exit codes and environment variables", lines: environmentLines },
};

/** Returns the help text that the words after `kernelbot help` select. @throws UsageError for an unknown command. */
export function helpOn([topic, ...words]: readonly string[]): string | Promise<string> {
  if (topic === undefined) return programHelp();
  const found = Object.hasOwn(HELP_TOPICS, topic) ? HELP_TOPICS[topic] : undefined;
  if (found === undefined) return commandHelp(COMMANDS, topic, words);
  return [`${found.about}.`, "", ...found.lines()].join("\n");
}

/** @throws UsageError for the name of a topic, which is not a command. */
export function rejectTopic(name: string): void {
  if (!Object.hasOwn(HELP_TOPICS, name)) return;
  throw new UsageError(`"${name}" is not a command, but a topic of the help; see kernelbot help ${name}`);
}

function programHelp(): string {
  const first = Object.fromEntries(FIRST.map((name) => [name, COMMANDS[name]])) as CommandTable;
  const width = Math.max(...[...FIRST, ...Object.keys(HELP_TOPICS)].map((name) => name.length));
  return [
    "kernelbot: submit accelerator kernels, watch them run and read leaderboards.",
    "",
    "Usage: kernelbot COMMAND [arguments] [options]",
    "",
    ...tableLines(first, width),
    "",
    "All commands, by topic; kernelbot help TOPIC lists them:",
    ...tableLines(HELP_TOPICS, width),
    "",
    "Run kernelbot help COMMAND for the arguments and options of a command.",
  ].join("\n");
}

function commandLines(commands: CommandTable): string[] {
  return [...tableLines(commands), "", "Run kernelbot help COMMAND for the arguments and options of a command."];
}

function environmentLines(): string[] {
  return [
    "Exit codes:",
    ...EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padEnd(3)}  ${meaning}`),
    "",
    "Environment variables:",
    ...ENVIRONMENT.map(([name, meaning]) => `  ${name.padEnd(16)}  ${meaning}`),
  ];
}
