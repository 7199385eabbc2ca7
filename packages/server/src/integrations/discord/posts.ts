/** Forum posts of problems: one per guild with a forum channel, with the content that anonymous viewers see. */
import { createHash } from "node:crypto";
import { sql, type Selectable } from "kysely";
import { problemEndsAt, hasProblem } from "@kernelbot/core";
import { STRANGER } from "../../auth/visibility.ts";
import { listCompetitions } from "../../competitions/competitions.ts";
import type { Tables } from "../../db/tables.ts";
import { idempotent } from "../../db/idempotent.ts";
import { listProblems } from "../../problems/problems.ts";
import type { Bot } from "./bot.ts";
import { code, formatTimestamp } from "./escape.ts";
import { claimRow, postpone, release } from "./row-leases.ts";
import { MAX_CONTENT } from "./protocol.ts";

type Row = Selectable<Tables["discord_post"]>;

/** Wanted content of the posts, by problem. */
export type Posts = ReadonlyMap<string, string>;

export async function readPosts({ database, publicUrl }: Bot): Promise<Posts> {
  const [problems, competitions] = await Promise.all([
    listProblems(database, STRANGER),
    listCompetitions(database, STRANGER),
  ]);
  return new Map(
    problems
      .filter(({ targets }) => targets.length > 0)
      .map(({ name, description, targets }) => {
        const competition = competitions.find((each) => hasProblem(each, name));
        const end = [
          ...(competition === undefined ? [] : [`Deadline: ${formatTimestamp(problemEndsAt(competition, name))}`]),
          `GPUs: ${targets.map((target) => code(target)).join(", ")}`,
          `<${publicUrl}/problems/${name}>`,
        ].join("\n");
        const room = MAX_CONTENT - end.length - 100;
        const head = `**New leaderboard: ${code(name)}**\n${truncate(description.trim(), room)}`;
        return [name, `${head}\n${end}`];
      }),
  );
}

/** Shortens the description of a problem. Not escaped, because problem authors are trusted. */
function truncate(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** Stores a row for each missing post, and marks posts whose content differs from the wanted content. */
export async function storePosts(bot: Bot, posts: Posts): Promise<void> {
  const problems = [...posts.keys()];
  const hashes = [...posts.values()].map(hashOf);
  await sql`insert into discord_post (guild_id, problem, channel_id)
      select g.id, p.problem, g.forum_channel from discord_guild g, unnest(${problems}::text[]) as p (problem)
      where g.forum_channel is not null
      on conflict (guild_id, problem) do update set channel_id = excluded.channel_id, thread_id = null, content_hash = null
        where discord_post.channel_id <> excluded.channel_id`.execute(idempotent(bot.database.db));
  // A problem that no longer exists has the wanted content "", which its archived post stores.
  await sql`update discord_post d set content_hash = null where content_hash is not null and content_hash <> coalesce((
      select hash from unnest(${problems}::text[], ${hashes}::text[]) as p (problem, hash) where p.problem = d.problem
    ), '')`.execute(idempotent(bot.database.db));
}

export function claimPost({ database }: Bot, now: Date): Promise<Row | undefined> {
  return claimRow(database, "discord_post", now, {
    where: sql`due.content_hash is null
      and exists (select from discord_guild g where g.id = due.guild_id and g.forum_channel = due.channel_id)`,
    orderBy: "id",
  });
}

/**
 * Delay in milliseconds after which refused posts are tried again, because permissions of the forum may have changed.
 */
const REFUSED_MS = 86_400_000;

export async function publishPost(bot: Bot, row: Row, posts: Posts): Promise<void> {
  const { database, api, clock } = bot;
  const content = posts.get(row.problem);
  try {
    if (content === undefined) {
      // Archived, not deleted, because it may contain replies.
      if (row.thread_id !== null) await api.changeThread(row.thread_id, { archived: true });
      await updatePost(bot, row, { content_hash: "" });
    } else {
      await updatePost(bot, row, { thread_id: await writePost(bot, row, content), content_hash: hashOf(content) });
    }
    await release(database, "discord_post", row, clock());
  } catch (error) {
    if (await postpone(database, "discord_post", row, error, clock())) return;
    await release(database, "discord_post", row, new Date(clock().getTime() + REFUSED_MS));
  }
}

/** Writes the post. @returns its thread id, which is also the id of its first message. */
async function writePost({ api }: Bot, row: Row, content: string): Promise<string> {
  if (row.thread_id !== null && (await api.edit(row.thread_id, row.thread_id, { content }))) return row.thread_id;
  // A post that was created by a server that ended before it stored the id is found by its name.
  const known =
    row.tries > 1 ? await api.findThread(row.guild_id, row.channel_id, (name) => name === row.problem) : null;
  return known ?? api.startPost(row.channel_id, row.problem, { content });
}

async function updatePost(
  { database: { db } }: Bot,
  { id, lease_number }: Row,
  set: { thread_id?: string; content_hash: string },
): Promise<void> {
  await idempotent(db)
    .updateTable("discord_post")
    .set(set)
    .where("id", "=", id)
    .where("lease_number", "=", lease_number)
    .execute();
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
