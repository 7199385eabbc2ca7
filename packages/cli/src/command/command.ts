/**
 * Commands and their arguments, based on node:util's parser: unknown options are rejected, options may repeat, and the
 * help text is generated from the definition that is parsed.
 */
import { parseArgs } from "node:util";
import { UsageError } from "./exit.ts";
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
  help: string;
}

type Options = Record<string, Option>;

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

type Arguments<P extends readonly string[]> = {
  [K in keyof P]: P[K] extends `${string}...` ? string[] : P[K] extends `[${string}]` ? string | undefined : string;
};

export interface Command<O extends Options, P extends readonly string[]> {
  name: string;
  about: string;
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

/** Command as the entry point uses it. */
export interface Runnable {
  help: (args?: readonly string[]) => string | Promise<string>;
  /** Parses the arguments and runs the command. @throws UsageError for invalid arguments. */
  run: (args: readonly string[]) => Promise<number>;
}

/** Width of the help text in columns. */
const HELP_COLUMNS = 80;

const HELP = { type: "boolean", short: "h", help: "Show this help" } as const satisfies Option;

export const SERVER_OPTION = {
  server: { type: "string", value: "URL", help: "The server, if not that of your login" },
} as const satisfies Options;

export const JSON_OPTION = {
  json: { type: "boolean", help: "Print one JSON document and nothing else" },
} as const satisfies Options;

export function defineCommand<const O extends Options, const P extends readonly string[]>(
  command: Command<O, P>,
): Runnable {
  return {
    help: () => helpOf(command),
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
  const see = `see kernelbot ${command.name} --help`;
  let parsed;
  try {
    parsed = parseArgs({
      args: [...args],
      options: Object.fromEntries(
        Object.entries<Option>(command.options).map(([name, { type, short, multiple }]) => [
          name,
          { type, multiple: multiple ?? false, ...(short === undefined ? {} : { short }) },
        ]),
      ),
      allowPositionals: true,
    });
  } catch (error) {
    const [sentence = ""] = (error as Error).message.split(". ");
    throw new UsageError(`${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}; ${see}`);
  }
  const { values, positionals } = parsed;
  const missing = command.positionals[positionals.length];
  if (missing !== undefined && !missing.startsWith("[")) throw new UsageError(`${missing} is missing; ${see}`);
  const last = command.positionals.length - 1;
  const takesMore = command.positionals[last]?.endsWith("...") === true;
  const extra = takesMore ? undefined : positionals[last + 1];
  if (extra !== undefined) throw new UsageError(`there is one argument too many: ${JSON.stringify(extra)}; ${see}`);
  const filled = Object.entries<Option>(command.options).map(([name, option]) => {
    const value = values[name] ?? option.default ?? (option.type === "boolean" ? false : option.multiple && []);
    if (option.choices !== undefined && typeof value === "string" && !option.choices.includes(value)) {
      throw new UsageError(`--${name} takes ${option.choices.join(", ")}, not ${JSON.stringify(value)}`);
    }
    return [name, value];
  });
  return {
    values: Object.fromEntries(filled) as Values<O>,
    positionals: takesMore ? [...positionals.slice(0, last), positionals.slice(last)] : positionals,
  };
}

function helpOf<O extends Options, P extends readonly string[]>(command: Command<O, P>): string {
  const rows = Object.entries<Option>({ ...command.options, help: HELP }).map(([name, option]) => {
    const value = option.type === "string" ? ` ${option.choices?.join("|") ?? option.value ?? "VALUE"}` : "";
    const hints = [option.multiple && "may be repeated", option.default && `default ${option.default}`].filter(Boolean);
    return {
      left: `${option.short === undefined ? "    " : `-${option.short}, `}--${name}${value}`,
      right: option.help + (hints.length > 0 ? ` (${hints.join("; ")})` : ""),
    };
  });
  const width = Math.max(...rows.map((row) => row.left.length));
  return [
    command.about,
    "",
    `Usage: kernelbot ${[command.name, ...command.positionals, "[options]"].join(" ")}`,
    "",
    ...rows.map((row) => `  ${row.left.padEnd(width)}  ${row.right}`),
    ...(command.notes ?? []).flatMap((note) => ["", ...note.split("\n").flatMap((line) => wrap(line, HELP_COLUMNS))]),
  ].join("\n");
}
