/** A command as data: what it is called, what it takes, and what it does. */
import { KernelBotError } from "@kernelbot/core";
import type { Bot } from "./bot.ts";
import { ChannelType, OptionType, type Attachment, type Message, type Option, type User } from "./protocol.ts";

/** What is answered: one message, and others after it. Null where it is given from a row that is worked off. */
export type Reply = (Message & { more?: readonly Message[] }) | null;

/** Who asks, where, and how the answer gets there. */
export interface Asker {
  id: string;
  token: string;
  guildId: string | null;
  channelId: string;
  user: User;
}

export interface Call {
  bot: Bot;
  asker: Asker;
  given: Given;
}

/** What was given to a command. */
export interface Given {
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
  /** Of a text. */
  maxLength?: number;
  /** Of channels: the kinds among which one chooses. */
  channels?: readonly (keyof typeof ChannelType)[];
  /** What to propose to who has typed this. */
  propose?: (call: Call, typed: string) => Promise<string[]>;
}

export interface Command {
  /** Its words: `leaderboard submit test`. */
  path: string;
  about: string;
  options: readonly OptionSpec[];
  run: (call: Call) => Promise<Reply>;
  /** Asks for a text before it is done, in a window; its answer goes to the part of the window's name before the colon. */
  confirm?: (call: Call) => Promise<Window>;
}

/** A window in which one writes a line. */
export interface Window {
  id: string;
  title: string;
  label: string;
  placeholder: string;
}

/** What a button, a menu or a window does; `words` are those of its name after the first, `values` what was chosen or written. */
export type Part = (call: Omit<Call, "given">, words: readonly string[], values: readonly string[]) => Promise<Reply>;

export function given(options: readonly Option[], attachments: Readonly<Record<string, Attachment>> = {}): Given {
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

/** @throws KernelBotError `bad_request` where it was not given, which Discord does not let happen. */
export function needed<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw new KernelBotError("bad_request", `${name} is missing`);
}
