/** Commands that send a request and print its response: one JSON document with `--json`, lines of text without. */
import { connect, type Connection } from "../config/config.ts";
import { terminalOf, type Terminal } from "../output/terminal.ts";
import { jsonDocument, sanitize } from "../output/text.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import type { Arguments, Option, Options, Runnable, Values } from "../command/command.ts";
import { EXIT } from "../command/exit.ts";

interface RequestCommand<Response, O extends Options, P extends readonly string[]> {
  name: string;
  /** Names of the positional arguments, as in `Command`. */
  positionals?: P;
  /** Options other than `--json` and `--server`. */
  options?: O;
  /** Paragraphs of the help text after the options. */
  notes?: readonly string[];
  /** Sends the request and returns the document for `--json`. @throws UsageError for invalid arguments. */
  request: (connection: Connection, values: Values<O>, ...positionals: Arguments<P>) => Promise<Response>;
  /** Formats the document, sanitized, as lines for the terminal. */
  lines: (response: Response, terminal: Terminal, ...positionals: Arguments<P>) => readonly string[];
}

export function defineRequest<
  Response,
  // oxlint-disable-next-line typescript/no-generated-empty-object-type -- a command without options
  const O extends Options = Record<never, Option>,
  const P extends readonly string[] = readonly [],
>({ name, positionals, options, notes = [], request, lines }: RequestCommand<Response, O, P>): Runnable {
  return defineCommand<Options, readonly string[]>({
    name,
    positionals: positionals ?? [],
    options: { ...options, ...JSON_OPTION, ...SERVER_OPTION },
    notes,
    run: async (values, ...texts) => {
      // defineCommand has parsed the arguments by these definitions.
      const args = texts as unknown as Arguments<P>;
      const { json, server } = values as Values<typeof JSON_OPTION & typeof SERVER_OPTION>;
      const response = await request(await connect(server), values as Values<O>, ...args);
      const terminal = terminalOf(process.stdout);
      if (json) process.stdout.write(`${jsonDocument(response)}\n`);
      else terminal.print(lines(sanitize(response), terminal, ...args));
      return EXIT.passed;
    },
  });
}
