/** Moderation acts with a public reason: the common definition of most moderators' commands. */
import { defineCommand, JSON_OPTION, SERVER_OPTION, type Option, type Runnable } from "../../command/command.ts";
import { connect, type Connection } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";

export const REASON_OPTION = {
  reason: { type: "string", short: "r", value: "TEXT", help: "Why, in public" },
} as const satisfies Record<string, Option>;

/** Returns the reason. @throws UsageError when it is missing or blank. */
export function needed(reason: string | undefined): string {
  if (reason === undefined || reason.trim() === "") throw new UsageError("say why with --reason");
  return reason;
}

export interface Act<Subject> {
  name: string;
  about: string;
  /** Positional argument, as in the usage line. */
  positional: string;
  /** Parses the positional argument. @throws UsageError when it is invalid. */
  read: (text: string) => Subject;
  /** Performs the act. Returns the document for --json and a sentence for the terminal. */
  act: (connection: Connection, subject: Subject, reason: string) => Promise<{ document: unknown; told: string }>;
}

export function defineAct<Subject>({ name, about, positional, read, act }: Act<Subject>): Runnable {
  return defineCommand({
    name,
    about,
    positionals: [positional],
    options: { ...REASON_OPTION, ...JSON_OPTION, ...SERVER_OPTION },
    run: async ({ reason, json, server }, text) => {
      const subject = read(text);
      const why = needed(reason);
      const { document, told } = await act(await connect(server), subject, why);
      if (json) process.stdout.write(`${jsonDocument(document)}\n`);
      else terminalOf(process.stdout).print([told]);
      return EXIT.passed;
    },
  });
}

/** Positional argument with a run's number. */
export const RUN = {
  positional: "RUN",
  read: (text: string): number => positiveInteger(text, "a run's number, as kernelbot admin quarantine shows it"),
};
