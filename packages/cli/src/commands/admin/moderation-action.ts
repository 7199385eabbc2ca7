/** Moderation actions with a public reason: the common definition of most moderators' commands. */
import { defineCommand, JSON_OPTION, SERVER_OPTION, type Option, type Runnable } from "../../command/command.ts";
import { connect, type Connection } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";

export const REASON_OPTION = {
  reason: { type: "string", short: "r", value: "TEXT", help: "Reason, shown in public (required)" },
} as const satisfies Record<string, Option>;

/** Returns the reason. @throws UsageError when it is missing or blank. */
export function requireReason(reason: string | undefined): string {
  if (reason === undefined || reason.trim() === "") throw new UsageError("--reason TEXT is required");
  return reason;
}

interface ModerationAction<Subject> {
  name: string;
  /** Positional argument, as in the usage line. */
  positional: string;
  /** Paragraphs of the help text after the options. */
  notes?: readonly string[];
  /** Parses the positional argument. @throws UsageError when it is invalid. */
  parse: (text: string) => Subject;
  /** Performs the action. Returns the document for --json and a sentence for the terminal. */
  perform: (
    connection: Connection,
    subject: Subject,
    reason: string,
  ) => Promise<{ document: unknown; message: string }>;
}

export function defineModerationAction<Subject>({
  name,
  positional,
  notes = [],
  parse,
  perform,
}: ModerationAction<Subject>): Runnable {
  return defineCommand({
    name,
    positionals: [positional],
    options: { ...REASON_OPTION, ...JSON_OPTION, ...SERVER_OPTION },
    notes,
    run: async ({ reason, json, server }, text) => {
      const subject = parse(text);
      const why = requireReason(reason);
      const { document, message } = await perform(await connect(server), subject, why);
      if (json) process.stdout.write(`${jsonDocument(document)}\n`);
      else terminalOf(process.stdout).print([message]);
      return EXIT.passed;
    },
  });
}

/** Positional argument with a run's number. */
export const RUN = {
  positional: "RUN",
  parse: (text: string): number => positiveInteger(text, "the number of a run; kernelbot admin quarantine lists them"),
};
