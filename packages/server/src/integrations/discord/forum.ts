/**
 * Adopts forum posts that existed before the bot created its own, such as those of a previous bot, as posts of boards.
 */
import { sql, type Transaction } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import { requireRole, type Identity } from "../../auth/identity.ts";
import type { Tables } from "../../db/tables.ts";
import { idempotent } from "../../db/idempotent.ts";
import { runTransaction } from "../../db/transaction.ts";
import { audit } from "../../auth/audit.ts";
import type { Bot } from "./bot.ts";
import { getBoardByName } from "./find.ts";
import { guildOf } from "./guilds.ts";
import { DiscordError } from "./discord-error.ts";

/** Name of a board as given, and the thread id of its post. */
type RequestedPost = readonly [board: string, thread: string];

interface AdoptedPost {
  problem: string;
  thread: string;
}

export interface Adoption {
  /** Adopted posts, with the previous post of the board, which is archived; null if there was none. */
  taken: (AdoptedPost & { before: string | null })[];
  /** Boards that lost their post to another board. */
  boardsWithoutPost: string[];
  refused: { board: string; message: string }[];
}

/**
 * Adopts posts one by one; a refused one does not affect the others.
 * @throws KernelBotError `forbidden` for callers other than administrators; `bad_request` when the guild has no forum
 * channel.
 */
export async function adoptPosts(
  bot: Bot,
  identity: Identity,
  guild: string,
  requested: readonly RequestedPost[],
): Promise<Adoption> {
  requireRole(identity, "administrator");
  const forum = (await guildOf(bot, guild))?.forum_channel ?? null;
  if (forum === null) {
    throw new KernelBotError(
      "bad_request",
      "this Discord server has no forum channel; set it with /admin set-channels first",
    );
  }
  const fit: AdoptedPost[] = [];
  const refused: Adoption["refused"] = [];
  for (const [board, thread] of requested) {
    try {
      const { name: problem } = await getBoardByName(bot, identity, board);
      if (fit.some((each) => each.problem === problem || each.thread === thread)) {
        throw new KernelBotError("conflict", "duplicate leaderboard or post in the file");
      }
      await requireEditablePost(bot, thread, { guild, forum });
      fit.push({ problem, thread });
    } catch (error) {
      if (!isAboutRow(error)) throw error;
      refused.push({ board, message: error.message });
    }
  }
  if (fit.length === 0) return { taken: [], boardsWithoutPost: [], refused };
  const { taken, boardsWithoutPost } = await runTransaction(idempotent(bot.database.db), async (transaction) => {
    const detail = Object.fromEntries(fit.map(({ problem, thread }) => [problem, thread]));
    await audit(transaction, identity, "set-forum-ids", `discord ${guild}`, detail);
    return adopt(transaction, { guild, forum }, fit);
  });
  for (const { before } of taken) if (before !== null) await archivePost(bot, before);
  return { taken, boardsWithoutPost, refused };
}

interface Forum {
  guild: string;
  forum: string;
}

/** Requires that the thread is a post in the forum and that the bot can edit it. @throws KernelBotError otherwise. */
async function requireEditablePost({ api, options }: Bot, thread: string, { guild, forum }: Forum): Promise<void> {
  const found = await api.channel(thread);
  if (found === null) throw new KernelBotError("not_found", `post ${thread} does not exist on Discord`);
  if (found.guild_id !== guild || found.parent_id !== forum) {
    throw new KernelBotError("unprocessable", `post ${thread} is not in the forum of this server`);
  }
  // A bot's user id equals its application id.
  if (found.owner_id !== options.applicationId) {
    throw new KernelBotError("forbidden", `the bot cannot edit post ${thread}, because another user created it`);
  }
}

function isAboutRow(error: unknown): error is KernelBotError | DiscordError {
  if (error instanceof DiscordError) return true;
  return error instanceof KernelBotError && error.code !== "internal" && error.code !== "unavailable";
}

/** Stores the adoption; the background work rewrites the posts. */
async function adopt(
  transaction: Transaction<Tables>,
  { guild, forum }: Forum,
  fit: readonly AdoptedPost[],
): Promise<Pick<Adoption, "taken" | "boardsWithoutPost">> {
  const known = await transaction
    .selectFrom("discord_post")
    .select(["problem", "thread_id"])
    .where("guild_id", "=", guild)
    .forUpdate()
    .execute();
  const isFit = (thread: string | null) => fit.some((each) => each.thread === thread);
  const boardsWithoutPost = known
    .filter(({ problem, thread_id }) => isFit(thread_id) && fit.every((each) => each.problem !== problem))
    .map(({ problem }) => problem);
  // Raising `lease_number` invalidates the work of a server that currently leases the row.
  const reset = sql`content_hash = null, due_at = now(), lease_until = null, lease_number = discord_post.lease_number + 1, tries = 0`;
  await sql`update discord_post set thread_id = null, ${reset}
    where guild_id = ${guild} and problem = any(${boardsWithoutPost}::text[])`.execute(transaction);
  const [problems, threads] = [fit.map(({ problem }) => problem), fit.map(({ thread }) => thread)];
  await sql`insert into discord_post (guild_id, problem, channel_id, thread_id)
    select ${guild}, problem, ${forum}, thread from unnest(${problems}::text[], ${threads}::text[]) as t (problem, thread)
    on conflict (guild_id, problem) do update
      set thread_id = excluded.thread_id, channel_id = excluded.channel_id, ${reset}`.execute(transaction);
  const taken = fit.map(({ problem, thread }) => {
    const before = known.find((each) => each.problem === problem)?.thread_id ?? null;
    return { problem, thread, before: isFit(before) ? null : before };
  });
  return { taken, boardsWithoutPost };
}

/** Archives a post. Not deleted, because it may contain replies. */
async function archivePost({ api, database }: Bot, thread: string): Promise<void> {
  try {
    await api.changeThread(thread, { archived: true });
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error;
    database.log(`Discord: archiving post ${thread} failed: ${error.message}`);
  }
}
