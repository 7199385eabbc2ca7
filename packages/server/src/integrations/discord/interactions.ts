/**
 * Responds to interactions: a first response within the three seconds that Discord allows, and later edits of it.
 * Responses are visible only to the caller. The work starts before the first response, which waits briefly for it: work
 * finished by then is stored, and not lost in a crash after the response.
 */
import { setTimeout as pause } from "node:timers/promises";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Bot } from "./bot.ts";
import { parseOptions, type InteractionContext, type Call, type Command, type Reply, type Modal } from "./command.ts";
import { COMMANDS, PARTS } from "./commands/commands.ts";
import { warning } from "./escape.ts";
import {
  ComponentType,
  Flag,
  InteractionType,
  MAX_CHOICES,
  OptionType,
  ResponseType,
  type Interaction,
  type Message,
  type Option,
} from "./protocol.ts";
import { DiscordError, isRefused } from "./discord-error.ts";
import { idempotent } from "../../db/idempotent.ts";

export interface InteractionResult {
  response: object;
  /** Runs after the first response was sent. */
  after?: () => Promise<void>;
}

/** Delay before a retry, in case the first response has not reached Discord yet. */
const EDIT_RETRY_MS = 1000;
/** How long the first response may wait for work, at most twice; Discord's limit is 3 s. */
const RESPONSE_WAIT_MS = 1000;

type UserInteraction = Exclude<Interaction, { type: typeof InteractionType.ping }>;

/** Handles an interaction. @returns null when it was handled before. */
export async function handleInteraction(bot: Bot, interaction: Interaction): Promise<InteractionResult | null> {
  if (interaction.type === InteractionType.ping) return { response: { type: ResponseType.pong } };
  const context = contextOf(interaction);
  if (interaction.type === InteractionType.autocomplete) {
    const choices = (await waitBriefly(autocompleteChoices(bot, context, interaction.data))) ?? [];
    return { response: { type: ResponseType.choices, data: { choices } } };
  }
  const recorded = recordInteraction(bot, interaction.id);
  // When the database is slow, the response is sent without waiting, and the work waits for the database.
  const isNew = await waitBriefly(recorded.catch(() => undefined));
  if (isNew === false) return null;
  const later = (response: object, work: () => Promise<Reply>) => respondLater(bot, context, response, recorded, work);
  switch (interaction.type) {
    case InteractionType.command: {
      const { command, options } = commandOf(interaction.data);
      const call = { bot, context, options: parseOptions(options, interaction.data.resolved.attachments) };
      if (command.confirm !== undefined) return { response: await modalResponse(command.confirm, call) };
      return later(DEFERRED, async () => {
        requireKnown(command, options);
        return command.run(call);
      });
    }
    case InteractionType.component: {
      const { custom_id, values } = interaction.data;
      return later({ type: ResponseType.deferredUpdate }, () => runPart(bot, context, custom_id, values));
    }
    case InteractionType.modal: {
      const { custom_id, components } = interaction.data;
      const values = components.flatMap((row) => row.components.map(({ value }) => value));
      return later(DEFERRED, () => runPart(bot, context, custom_id, values));
    }
  }
}

const DEFERRED = { type: ResponseType.deferredMessage, data: { flags: Flag.ephemeral } };

function contextOf({ id, token, guild_id, channel_id, member, user }: UserInteraction): InteractionContext {
  const who = member?.user ?? user;
  if (who == null) throw new KernelBotError("bad_request", "the interaction has no user");
  return { id, token, guildId: guild_id ?? null, channelId: channel_id ?? "", user: who };
}

/** Records an interaction; false when it was recorded before, by a replay or by another server. */
async function recordInteraction({ database: { db } }: Bot, id: string): Promise<boolean> {
  const inserted = await db
    .insertInto("discord_interaction")
    .values({ id })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted !== undefined;
}

/**
 * Deletes old interactions. Discord accepts no response after 15 minutes, and signatures are accepted for 5 minutes.
 */
export async function deleteOldInteractions({ database: { db }, clock }: Bot): Promise<void> {
  const before = new Date(clock().getTime() - 3_600_000);
  await idempotent(db).deleteFrom("discord_interaction").where("at", "<", before).execute();
}

/** Returns the command of an interaction, and its options. */
function commandOf(data: { name: string; options: Option[] }): { command: Command; options: Option[] } {
  const words = [data.name];
  let { options } = data;
  for (let inner = options[0]; inner !== undefined && isSubcommand(inner); inner = options[0]) {
    words.push(inner.name);
    options = inner.options ?? [];
  }
  const path = words.join(" ");
  const command = COMMANDS.find((each) => each.path === path);
  if (command === undefined) throw new KernelBotError("not_found", `the command /${path} does not exist`);
  return { command, options };
}

/**
 * Requires that the command supports all received options; an older registration of the commands may have others.
 * @throws KernelBotError `bad_request` otherwise.
 */
function requireKnown({ path, options: known }: Command, options: readonly Option[]): void {
  const unknown = options.find(({ name }) => known.every((option) => option.name !== name));
  if (unknown === undefined) return;
  throw new KernelBotError(
    "bad_request",
    `/${path} does not support the option ${quote(unknown.name)}; nothing was changed`,
  );
}

function isSubcommand({ type }: Option): boolean {
  return type === OptionType.subcommand || type === OptionType.group;
}

async function autocompleteChoices(bot: Bot, context: InteractionContext, data: { name: string; options: Option[] }) {
  try {
    const { command, options } = commandOf(data);
    const focused = options.find((option) => option.focused === true);
    const spec = command.options.find(({ name }) => name === focused?.name);
    const found = await spec?.propose?.({ bot, context, options: parseOptions(options) }, String(focused?.value ?? ""));
    return (found ?? []).slice(0, MAX_CHOICES).map((value) => ({ name: value, value }));
  } catch (error) {
    // A partly typed name may not exist.
    if (!(error instanceof KernelBotError)) bot.database.log(`Discord: autocomplete failed: ${String(error)}`);
    return [];
  }
}

async function modalResponse(confirm: (call: Call) => Promise<Modal>, call: Call): Promise<object> {
  try {
    const { id, title, label, placeholder } = (await waitBriefly(confirm(call))) ?? throwTooSlow();
    const input = { type: ComponentType.textInput, custom_id: "text", style: 1, label, placeholder, required: true };
    const components = [{ type: ComponentType.row, components: [{ ...input, max_length: 200 }] }];
    return { type: ResponseType.modal, data: { custom_id: id, title, components } };
  } catch (error) {
    const content = errorMessage(call.bot, error);
    return { type: ResponseType.message, data: { content, flags: Flag.ephemeral, allowed_mentions: { parse: [] } } };
  }
}

async function runPart(bot: Bot, context: InteractionContext, name: string, values: readonly string[]): Promise<Reply> {
  const [first = "", ...words] = name.split(":");
  const found = Object.hasOwn(PARTS, first) ? PARTS[first] : undefined;
  if (found === undefined)
    throw new KernelBotError("not_found", "this message is from an older version of the bot; run the command again");
  return found({ bot, context }, words, values);
}

/**
 * Sends `response` at once or shortly after, and edits it with the result of `work`.
 * @param recorded Whether the interaction is new.
 */
async function respondLater(
  bot: Bot,
  { token }: InteractionContext,
  response: object,
  recorded: Promise<boolean>,
  work: () => Promise<Reply>,
): Promise<InteractionResult> {
  const done = recorded
    .then((isNew) => (isNew ? work() : null))
    .catch((error: unknown): Reply => ({ content: errorMessage(bot, error) }));
  await waitBriefly(done);
  return {
    response,
    async after() {
      const reply = await done;
      // The first response has reached Discord now, so stored rows can edit it.
      if (reply === null) return bot.wake();
      const { more = [], ...first } = reply;
      await editReply(bot, token, first).catch((error: unknown) => {
        if (!isRefused(error)) throw error;
        bot.database.log(`Discord: response rejected: ${error.message}`);
        return editReply(bot, token, { content: warning(`Discord rejected the response: ${error.message}`) });
      });
      for (const message of more) await bot.api.followUp(token, message);
    },
  };
}

/** Returns the result of work if it ends within PATIENCE_MS; otherwise undefined. */
async function waitBriefly<T>(work: Promise<T>): Promise<T | undefined> {
  const ended = new AbortController();
  const patience = pause(RESPONSE_WAIT_MS, undefined, { signal: ended.signal }).catch(() => undefined);
  try {
    return await Promise.race([work, patience]);
  } finally {
    ended.abort();
  }
}

function throwTooSlow(): never {
  throw new KernelBotError("unavailable", "the database is slow; try again in a moment");
}

/**
 * Edits the response. Retried once, because Discord reports an unknown message until the first response has reached it.
 */
async function editReply({ api }: Bot, token: string, message: Message): Promise<void> {
  try {
    await api.editReply(token, message);
  } catch (error) {
    if (!(error instanceof DiscordError) || isRefused(error)) throw error;
    await pause(EDIT_RETRY_MS);
    await api.editReply(token, message);
  }
}

function errorMessage({ database }: Bot, error: unknown): string {
  if (error instanceof KernelBotError && error.code !== "internal") return warning(error.message);
  database.log(`Discord: an interaction failed: ${error instanceof Error ? (error.stack ?? "") : String(error)}`);
  return "⚠️ Internal error; the operator can find it in the server's log. Try again in a moment.";
}
