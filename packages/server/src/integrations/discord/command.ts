/** Types of command definitions. */
import { KernelBotError } from "@kernelbot/core";
import type { Bot } from "./bot.ts";
import { ChannelType, OptionType, type Attachment, type Message, type Option, type User } from "./protocol.ts";

/** Result of a command: one message and optional follow-ups. Null when the message is sent later, from a stored row. */
export type Reply = (Message & { more?: readonly Message[] }) | null;

/** An interaction's id, user, guild, channel and response token. */
export interface InteractionContext {
  id: string;
  token: string;
  guildId: string | null;
  channelId: string;
  user: User;
}

export interface Call {
  bot: Bot;
  context: InteractionContext;
  options: CommandOptions;
}

/** Options and attachments given to a command. */
interface CommandOptions {
  text(name: string): string | undefined;
  integer(name: string): number | undefined;
  truth(name: string): boolean;
  attachment(name: string): Attachment | undefined;
}

export interface OptionSpec {
  name: string;
  about: string;
  type: Exclude<keyof typeof OptionType, "subcommand" | "group">;
  required?: true;
  /** Maximum length of a text option. */
  maxLength?: number;
  /** Kinds of channels that a channel option accepts. */
  channels?: readonly (keyof typeof ChannelType)[];
  /** Returns autocomplete choices for the typed text. */
  propose?: (call: Call, typed: string) => Promise<string[]>;
}

export interface Command {
  /** Words of the command, such as `leaderboard submit test`. */
  path: string;
  about: string;
  options: readonly OptionSpec[];
  run: (call: Call) => Promise<Reply>;
  /**
   * Opens a modal window before the command runs. The input is passed to the part whose name is the first word of the
   * window's id.
   */
  confirm?: (call: Call) => Promise<Modal>;
}

/** Modal window with one text input. */
export interface Modal {
  id: string;
  title: string;
  label: string;
  placeholder: string;
}

/**
 * Handler of a button, menu or modal window. `words` are the words of its id after the first, `values` the choices or
 * the input.
 */
export type Part = (call: Omit<Call, "options">, words: readonly string[], values: readonly string[]) => Promise<Reply>;

export function parseOptions(
  options: readonly Option[],
  attachments: Readonly<Record<string, Attachment>> = {},
): CommandOptions {
  const value = (name: string) => options.find((option) => option.name === name)?.value;
  const text = (name: string): string | undefined => {
    const found = value(name);
    return typeof found === "string" ? found : undefined;
  };
  return {
    text,
    integer(name) {
      const found = value(name);
      return typeof found === "number" && Number.isSafeInteger(found) ? found : undefined;
    },
    truth: (name) => value(name) === true,
    attachment: (name) => attachments[text(name) ?? ""],
  };
}

/** Returns a required option. @throws KernelBotError `bad_request` when it is missing, which Discord prevents. */
export function requireOption<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw new KernelBotError("bad_request", `${name} is missing`);
}
