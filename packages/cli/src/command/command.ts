/**
 * Commands and their arguments, based on node:util's parser: unknown options are rejected, options may repeat, and the
 * help text and the reference page are generated from the definition that is parsed.
 */
import { parseArgs } from "node:util";
import { didYouMean } from "@kernelbot/core/similar-names";
import { seeHelp, UsageError } from "./exit.ts";
import { wrap } from "../output/text.ts";

export interface Option {
  type: "string" | "boolean";
  short?: string;
  /** Whether the option may be repeated. */
  multiple?: true;
  /** Allowed values. */
  choices?: readonly string[];
  /** Value when the option is omitted. */
  default?: string;
  /** Placeholder of the value in the help text. */
  value?: string;
  /** What the option does, in the imperative or as a noun, with the unit of its value. */
  help: string;
}

export type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends { type: "boolean" }
  ? boolean
  : O extends { choices: readonly (infer Choice)[] }
    ? O extends { default: string }
      ? Choice
      : Choice | undefined
    : O extends { multiple: true }
      ? string[]
      : O extends { default: string }
        ? string
        : string | undefined;

export type Values<O extends Options> = { [K in keyof O]: ValueOf<O[K]> };

export type Arguments<P extends readonly string[]> = {
  [K in keyof P]: P[K] extends `${string}...` ? string[] : P[K] extends `[${string}]` ? string | undefined : string;
};

export interface Command<O extends Options, P extends readonly string[]> {
  /** Name on the command line, with those of its groups: `admin invites create`. */
  name: string;
  /**
   * Names of the positional arguments. An argument in brackets and all after it are optional. The last one may be
   * `FILES...`, which takes one or more values.
   */
  positionals: P;
  options: O;
  /** Paragraphs of the help text after the options. */
  notes?: readonly string[];
  /** Runs the command and returns the exit code. */
  run: (values: Values<O>, ...positionals: Arguments<P>) => Promise<number>;
}

/** Command or group of commands as its table uses it. */
export interface Runnable {
  /**
   * Returns the help text.
   * @param about line of the command in its table
   * @param args arguments after the name; those of a group select a command of it
   */
  help: (about: string, args: readonly string[]) => string | Promise<string>;
  /** Parses the arguments and runs the command. @throws UsageError for invalid arguments. */
  run: (args: readonly string[]) => Promise<number>;
  /** Returns the command's definition, or those of all commands of a group. */
  describe: (about: string) => CommandDescription[] | Promise<CommandDescription[]>;
}

/** Definition of a command without its function. */
export interface CommandDescription extends Omit<Command<Options, readonly string[]>, "run"> {
  /** What the command does, in the imperative, without a period at the end. */
  about: string;
}

/** Width of the help text in columns. */
const HELP_COLUMNS = 80;

/** Option that every command has. */
export const HELP_OPTION = {
  help: { type: "boolean", short: "h", help: "Print this help" },
} as const satisfies Options;

export const SERVER_OPTION = {
  server: { type: "string", value: "URL", help: "Address of the server (default: that of your login)" },
} as const satisfies Options;

export const JSON_OPTION = {
  json: { type: "boolean", help: "Print only one JSON document" },
} as const satisfies Options;

export function defineCommand<const O extends Options, const P extends readonly string[]>(
  command: Command<O, P>,
): Runnable {
  return {
    help: (about) => helpText({ ...command, about }),
    describe: (about) => [{ ...command, about }],
    run: (args) => {
      const { values, positionals } = parse(command, args);
      return command.run(values, ...(positionals as unknown as Arguments<P>));
    },
  };
}

function parse<O extends Options, P extends readonly string[]>(
  command: Command<O, P>,
  args: readonly string[],
): { values: Values<O>; positionals: (string | string[])[] } {
  const see = seeHelp(command.name);
  const { values, positionals } = splitArguments(command, takesCode(command) ? codesLast(args) : args);
  const missing = command.positionals[positionals.length];
  if (missing !== undefined && !missing.startsWith("[")) throw new UsageError(`${missing} is missing${see}`);
  const last = command.positionals.length - 1;
  const takesMore = command.positionals[last]?.endsWith("...") === true;
  const extra = takesMore ? undefined : positionals[last + 1];
  if (extra !== undefined) throw new UsageError(`unexpected argument ${JSON.stringify(extra)}${see}`);
  const filled = Object.entries<Option>(command.options).map(([name, option]) => {
    const value = values[name] ?? option.default ?? (option.type === "boolean" ? false : option.multiple && []);
    if (option.choices !== undefined && typeof value === "string" && !option.choices.includes(value)) {
      throw new UsageError(`--${name} must be one of ${option.choices.join(", ")}, not ${JSON.stringify(value)}`);
    }
    return [name, value];
  });
  return {
    values: Object.fromEntries(filled) as Values<O>,
    positionals: takesMore ? [...positionals.slice(0, last), positionals.slice(last)] : positionals,
  };
}

function takesCode({ positionals }: Pick<CommandDescription, "positionals">): boolean {
  return positionals.some((name) => name.split("|").includes("CODE"));
}

/** Puts invite codes in base64url that begin with a hyphen after `--`, where no option is read. */
function codesLast(args: readonly string[]): readonly string[] {
  const isCode = (arg: string): boolean => /^-[\w-]{21}$/.test(arg);
  if (args.includes("--") || !args.some(isCode)) return args;
  return [...args.filter((arg) => !isCode(arg)), "--", ...args.filter(isCode)];
}

/**
 * Splits arguments into options and positional arguments.
 * @throws UsageError for an unknown option, or one without its value
 */
export function splitArguments(
  { name, options }: Pick<CommandDescription, "name" | "options">,
  args: readonly string[],
) {
  const config = Object.entries(options).map(([option, { type, short, multiple }]) => [
    option,
    { type, multiple: multiple ?? false, ...(short === undefined ? {} : { short }) },
  ]);
  try {
    return parseArgs({
      args: [...args],
      options: Object.fromEntries(config) as Record<string, { type: Option["type"]; multiple: boolean }>,
      allowPositionals: true,
    });
  } catch (error) {
    const [sentence = ""] = (error as Error).message.split(". ");
    const [, unknown = ""] = /^Unknown option '--([^']*)'/.exec(sentence) ?? [];
    const suggestion = unknown === "" ? "" : didYouMean(unknown, Object.keys({ ...options, ...HELP_OPTION }), "--");
    throw new UsageError(`${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}${seeHelp(name, suggestion)}`);
  }
}

function helpText({ about, options, notes = [], ...command }: CommandDescription): string {
  const rows = Object.entries({ ...options, ...HELP_OPTION }).map(([name, option]) => optionText(name, option));
  const width = Math.max(...rows.map(({ syntax }) => syntax.length));
  return [
    `${about}.`,
    "",
    `Usage: ${usageLine(command)}`,
    "",
    ...rows.map(({ syntax, meaning }) => `  ${syntax.padEnd(width)}  ${meaning}`),
    ...notes.flatMap((note) => ["", ...note.split("\n").flatMap((line) => wrap(line, HELP_COLUMNS))]),
  ].join("\n");
}

/** Returns the syntax of a command: `kernelbot submit FILE [options]`. */
export function usageLine({ name, positionals }: Pick<CommandDescription, "name" | "positionals">): string {
  return ["kernelbot", name, ...positionals, "[options]"].join(" ");
}

/** Returns the syntax of an option, with room for a short form, and its meaning with its default. */
export function optionText(name: string, option: Option): { syntax: string; meaning: string } {
  const value = option.type === "string" ? ` ${option.choices?.join("|") ?? option.value ?? "VALUE"}` : "";
  const hints = [option.multiple && "may be repeated", option.default && `default ${option.default}`].filter(Boolean);
  return {
    syntax: `${option.short === undefined ? "    " : `-${option.short}, `}--${name}${value}`,
    meaning: option.help + (hints.length > 0 ? ` (${hints.join("; ")})` : ""),
  };
}
