/**
 * Options of a program, defined once as data: the parser of the command line, the help text and the reference page are
 * derived from the definitions.
 */

export interface OptionDefinition {
  /** Placeholder of the value in help texts, such as `PORT`; absent for a switch. */
  argument?: string;
  /** One letter that means the same as the option. */
  short?: string;
  /** Whether the option may be repeated. */
  repeatable?: true;
  /** Environment variable that is read when the option is not given. */
  environment?: string;
  /** Default as text, for people. */
  default?: string;
  /** What the option sets, without a period at the end. */
  help: string;
}

/** Definitions by option name, without the leading dashes. */
export type OptionDefinitions = Readonly<Record<string, OptionDefinition>>;

/** Environment variable without an option. */
export type VariableDefinition = Pick<OptionDefinition, "default" | "help">;

export interface ReferenceSection {
  title: string;
  options?: OptionDefinitions;
  variables?: Readonly<Record<string, VariableDefinition>>;
}

type FlagConfig<Definitions extends OptionDefinitions> = {
  [Name in keyof Definitions]: {
    type: Definitions[Name] extends { argument: string } ? "string" : "boolean";
    multiple: Definitions[Name] extends { repeatable: true } ? true : false;
    short?: string;
  };
};

/** Width of help texts, in characters. */
const HELP_WIDTH = 120;
/** Column in which the explanations of a help text start. */
const HELP_COLUMN = 25;

/**
 * Returns the configuration of `parseArgs` of node:util.
 * @example parseArgs({ args, options: flagConfig({ port: { argument: "PORT", help: "port to listen on" } }) })
 */
export function flagConfig<const Definitions extends OptionDefinitions>(
  definitions: Definitions,
): FlagConfig<Definitions> {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, { argument, repeatable, short }]) => [
      name,
      { type: argument === undefined ? "boolean" : "string", multiple: repeatable === true, ...(short && { short }) },
    ]),
  ) as FlagConfig<Definitions>;
}

/** Returns the lines of a help text, one option after the other. */
export function formatOptions(definitions: OptionDefinitions): string {
  return Object.entries(definitions)
    .map(([name, definition]) => {
      const { argument, environment, help, short } = definition;
      const flag = `  ${short === undefined ? "" : `-${short}, `}--${name}${argument === undefined ? "" : ` ${argument}`}`;
      const notes = [environment, definition.default && `default ${definition.default}`].filter(Boolean).join("; ");
      const lines = wrap(notes === "" ? help : `${help} (${notes})`, HELP_WIDTH - HELP_COLUMN);
      const first = flag.length < HELP_COLUMN ? `${flag.padEnd(HELP_COLUMN)}${lines.shift() ?? ""}` : flag;
      return [first, ...lines.map((line) => " ".repeat(HELP_COLUMN) + line)].join("\n");
    })
    .join("\n");
}

/** Returns the sections of a reference page, in Markdown. */
export function formatReference(sections: readonly ReferenceSection[]): string {
  return sections
    .map(({ title, options = {}, variables = {} }) => {
      const rows = [
        ...Object.entries(options).map(([name, { argument, repeatable, environment, help, default: preset }]) =>
          row(
            `\`--${name}${argument === undefined ? "" : ` ${argument}`}\`${repeatable ? " (repeatable)" : ""}`,
            environment === undefined ? "" : `\`${environment}\``,
            preset ?? "",
            help,
          ),
        ),
        ...Object.entries(variables).map(([name, { help, default: preset }]) =>
          row("", `\`${name}\``, preset ?? "", help),
        ),
      ];
      return [
        `## ${title}\n`,
        "| option | environment variable | default | meaning |",
        "|---|---|---|---|",
        ...rows,
      ].join("\n");
    })
    .join("\n\n");
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
