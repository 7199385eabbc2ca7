/** What is done to something for a public reason: the shape of most commands of moderators. */
import { defineCommand, JSON_OPTION, SERVER_OPTION, type Option, type Runnable } from "../../command.ts";
import { connect, type Connection } from "../../config.ts";
import { EXIT, UsageError } from "../../exit.ts";
import { positiveInteger } from "../../id.ts";
import { terminalOf } from "../../terminal.ts";
import { jsonDocument } from "../../text.ts";

export const REASON_OPTION = {
  reason: { type: "string", short: "r", value: "TEXT", help: "Why, in public" },
} as const satisfies Record<string, Option>;

/** @throws UsageError where there is no reason. */
export function needed(reason: string | undefined): string {
  if (reason === undefined || reason.trim() === "") throw new UsageError("say why with --reason");
  return reason;
}

export interface Act<Subject> {
  name: string;
  about: string;
  /** The positional, as the usage has it. */
  positional: string;
  /** Reads it. @throws UsageError where it is none. */
  read: (text: string) => Subject;
  /** Does it; gives the document for --json, and a sentence for a person. */
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

/** The number of a run. */
export const RUN = {
  positional: "RUN",
  read: (text: string): number => positiveInteger(text, "a run's number, as kernelbot admin quarantine shows it"),
};
