/** Commands under one name, such as `kernelbot admin invites create`. Each is loaded when it is called. */
import { didYouMean } from "@kernelbot/core/similar-names";
import type { CommandDescription, Runnable } from "./command.ts";
import { seeHelp, UsageError } from "./exit.ts";

/** Commands by name. `about` says in the imperative what each does, without a period at the end. */
export type CommandTable = Readonly<
  Record<
    string,
    {
      about: string;
      /** Whether it is a group of the program whose commands are all of optional features: without one, it does not exist. */
      ofFeatures?: true;
      load: () => Promise<{ command: Runnable | RunnableGroup }>;
    }
  >
>;

export interface Group {
  /** Name of the group on the command line: `admin invites`. */
  name: string;
  commands: CommandTable;
  /** Command that runs when none is named; without it, a command is required. */
  default?: string;
  /** Paragraphs of the help text after the commands. */
  notes?: readonly string[];
}

/** Group as its table uses it. */
export interface RunnableGroup extends Runnable {
  group: Group;
}

export function defineGroup(definition: Group): RunnableGroup {
  const { name: group, commands, default: implied, notes = [] } = definition;
  return {
    group: definition,
    help(about, [name = "", ...rest]) {
      if (Object.hasOwn(commands, name)) return commandHelp(commands, name, rest, group);
      return [
        `${about}.`,
        "",
        `Usage: kernelbot ${group} ${implied === undefined ? "COMMAND" : "[COMMAND]"} [arguments] [options]`,
        "",
        ...tableLines(commands),
        "",
        ...(implied === undefined ? [] : [`Without a command, runs kernelbot ${group} ${implied}.`, ""]),
        ...notes.flatMap((note) => [note, ""]),
        `Run kernelbot ${group} COMMAND --help for the options of a command.`,
      ].join("\n");
    },
    run(args) {
      const [first] = args;
      const runsImplied = implied !== undefined && (first === undefined || first.startsWith("-"));
      const [name = "", ...rest] = runsImplied ? [implied, ...args] : args;
      return runNamed(commands, name, rest, group);
    },
    describe: () => describeCommands(commands),
  };
}

/** Runs a command of a table. @throws UsageError when the table has no such command. */
export async function runNamed(
  commands: CommandTable,
  name: string,
  args: readonly string[],
  group?: string,
): Promise<number> {
  const { command } = await findEntry(commands, name, group).load();
  return command.run(args);
}

/** Returns the help text of a command of a table. @throws UsageError when the table has no such command. */
export async function commandHelp(
  commands: CommandTable,
  name: string,
  args: readonly string[],
  group?: string,
): Promise<string> {
  const { about, load } = findEntry(commands, name, group);
  return (await load()).command.help(about, args);
}

function findEntry(commands: CommandTable, name: string, group = ""): CommandTable[string] {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry !== undefined) return entry;
  const words = [group, name].filter(Boolean).join(" ");
  const suggestion = didYouMean(name, Object.keys(commands));
  throw new UsageError(`unknown command ${JSON.stringify(words)}${seeHelp(group, suggestion)}`);
}

/** Returns a line for each command or topic: its name and what it is about. */
export function tableLines(commands: Readonly<Record<string, { about: string }>>, width = 0): string[] {
  const columns = Math.max(width, ...Object.keys(commands).map((name) => name.length));
  return Object.entries(commands).map(([name, { about }]) => `  ${name.padEnd(columns)}  ${about}`);
}

/** Loads and returns the definitions of all commands, those of groups included, in the order of the table. */
export async function describeCommands(commands: CommandTable): Promise<CommandDescription[]> {
  const described = Object.values(commands).map(async ({ about, load }) => (await load()).command.describe(about));
  return (await Promise.all(described)).flat();
}
