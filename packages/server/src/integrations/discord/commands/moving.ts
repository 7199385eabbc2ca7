/** `/admin get-user-names`, `update-user-names` and `set-forum-ids`: commands for migrating from another bot. */
import { formatCount, KernelBotError, quote } from "@kernelbot/core";
import { z } from "zod";
import { requireRole, type Identity } from "../../../auth/identity.ts";
import { readDiscordNames, renameDiscordUsers } from "../../../people/discord-names.ts";
import { callerOf } from "../accounts.ts";
import { attachedPairs } from "../attachments.ts";
import { needed, type Call, type Command } from "../command.ts";
import { listing } from "../fitting.ts";
import { adoptPosts } from "../forum.ts";
import { Snowflake } from "../protocol.ts";

const FILE = "file";

/**
 * Returns the caller's identity; required before any option is read.
 * @throws KernelBotError `forbidden` for callers other than administrators.
 */
async function administrator({ bot, asker }: Call): Promise<Identity> {
  const identity = await callerOf(bot, asker.user);
  requireRole(identity, "administrator");
  return identity;
}

const getUserNames: Command = {
  path: "admin get-user-names",
  about: "The names of all accounts of Discord users, as a file",
  options: [],
  async run(call) {
    const names = await readDiscordNames(call.bot.database, await administrator(call));
    const data = `${JSON.stringify(Object.fromEntries(names), null, 2)}\n`;
    return {
      content: `The names of ${formatCount(names.size, "Discord user")}. Change the file, and give it to \`/admin update-user-names\`.`,
      files: [{ name: "user_names.json", data }],
    };
  },
};

const UserName = z.tuple([Snowflake, z.string("a name is a text in quotes")]);

const updateUserNames: Command = {
  path: "admin update-user-names",
  about: "Give accounts of Discord users other names",
  options: [{ name: FILE, about: 'JSON: { "Discord user id": "name" }', type: "attachment", required: true }],
  async run(call) {
    const identity = await administrator(call);
    const names = await attachedPairs(call.bot, needed(call.given.attachment(FILE), FILE), UserName);
    const { renamed, unchanged, refused } = await renameDiscordUsers(call.bot.database, identity, names);
    return listing(
      `${formatCount(renamed.length, "account")} renamed, ${number(unchanged)} unchanged, ${number(refused.length)} refused.`,
      [
        ...renamed.map(({ user, before, name }) => `${user}: ${quote(before)} is now ${quote(name)}`),
        ...refused.map(({ user, message }) => `${user}: ${message}`),
      ],
      "renamed.txt",
    );
  },
};

function number(value: number): string {
  return value.toLocaleString("en-US");
}

const ForumPost = z.tuple([z.string(), Snowflake]);

const setForumIds: Command = {
  path: "admin set-forum-ids",
  about: "Make posts that are in the forum already those of leaderboards",
  options: [{ name: FILE, about: 'JSON: { "leaderboard": "thread id" }', type: "attachment", required: true }],
  async run(call) {
    const { bot, asker, given } = call;
    const identity = await administrator(call);
    if (asker.guildId === null) {
      throw new KernelBotError("bad_request", "this is to be said in the server that it is for");
    }
    const wanted = await attachedPairs(bot, needed(given.attachment(FILE), FILE), ForumPost);
    const { taken, bereft, refused } = await adoptPosts(bot, identity, asker.guildId, wanted);
    return listing(
      `${formatCount(taken.length, "post")} taken over, ${number(refused.length)} refused.${taken.length > 0 ? " The bot writes them anew within a minute." : ""}`,
      [
        ...taken.map(
          ({ problem, thread, before }) =>
            `${problem}: its post is ${thread}${before === null ? "" : `; the one before, ${before}, is archived`}`,
        ),
        ...bereft.map((problem) => `${problem}: its post went to another leaderboard`),
        ...refused.map(({ board, message }) => `${quote(board)}: ${message}`),
      ],
      "posts.txt",
    );
  },
};

export const movingCommands: readonly Command[] = [getUserNames, updateUserNames, setForumIds];
