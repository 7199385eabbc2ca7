/** `/admin get-user-names`, `update-user-names` and `set-forum-ids`: commands for migrating from another bot. */
import { formatCount, KernelBotError, quote } from "@kernelbot/core";
import { z } from "zod";
import { requireRole, type Identity } from "../../../auth/identity.ts";
import { readDiscordNames, renameDiscordUsers } from "../../../people/discord-names.ts";
import { callerOf } from "../accounts.ts";
import { readPairs } from "../attachments.ts";
import { requireOption, type Call, type Command } from "../command.ts";
import { listMessage } from "../fit-message.ts";
import { adoptPosts } from "../forum.ts";
import { Snowflake } from "../protocol.ts";

const FILE = "file";

/**
 * Returns the caller's identity; required before any option is read.
 * @throws KernelBotError `forbidden` for callers other than administrators.
 */
async function requireAdministrator({ bot, context }: Call): Promise<Identity> {
  const identity = await callerOf(bot, context.user);
  requireRole(identity, "administrator");
  return identity;
}

const getUserNames: Command = {
  path: "admin get-user-names",
  about: "Export the account names of all Discord users",
  options: [],
  async run(call) {
    const names = await readDiscordNames(call.bot.database, await requireAdministrator(call));
    const data = `${JSON.stringify(Object.fromEntries(names), null, 2)}\n`;
    return {
      content: `The names of ${formatCount(names.size, "Discord user")}. To rename accounts, edit the file and attach it to \`/admin update-user-names\`.`,
      files: [{ name: "user_names.json", data }],
    };
  },
};

const UserName = z.tuple([Snowflake, z.string("the name must be a string")]);

const updateUserNames: Command = {
  path: "admin update-user-names",
  about: "Rename accounts of Discord users from a file",
  options: [{ name: FILE, about: 'JSON: { "Discord user id": "name" }', type: "attachment", required: true }],
  async run(call) {
    const identity = await requireAdministrator(call);
    const names = await readPairs(call.bot, requireOption(call.options.attachment(FILE), FILE), UserName);
    const { renamed, unchanged, refused } = await renameDiscordUsers(call.bot.database, identity, names);
    return listMessage(
      `${formatCount(renamed.length, "account")} renamed, ${formatNumber(unchanged)} unchanged, ${formatNumber(refused.length)} refused.`,
      [
        ...renamed.map(({ user, before, name }) => `${user}: ${quote(before)} is now ${quote(name)}`),
        ...refused.map(({ user, message }) => `${user}: ${message}`),
      ],
      "renamed.txt",
    );
  },
};

function formatNumber(value: number): string {
  return value.toLocaleString("en-US");
}

const ForumPost = z.tuple([z.string(), Snowflake]);

const setForumIds: Command = {
  path: "admin set-forum-ids",
  about: "Assign existing forum posts to leaderboards",
  options: [{ name: FILE, about: 'JSON: { "leaderboard": "thread id" }', type: "attachment", required: true }],
  async run(call) {
    const { bot, context, options } = call;
    const identity = await requireAdministrator(call);
    if (context.guildId === null) {
      throw new KernelBotError(
        "bad_request",
        "run this command in the Discord server to configure, not in direct messages",
      );
    }
    const requested = await readPairs(bot, requireOption(options.attachment(FILE), FILE), ForumPost);
    const { taken, boardsWithoutPost, refused } = await adoptPosts(bot, identity, context.guildId, requested);
    return listMessage(
      `${formatCount(taken.length, "post")} assigned, ${formatNumber(refused.length)} refused.${taken.length > 0 ? " The bot rewrites them within a minute." : ""}`,
      [
        ...taken.map(
          ({ problem, thread, before }) =>
            `${problem}: assigned post ${thread}${before === null ? "" : `; archived the previous post ${before}`}`,
        ),
        ...boardsWithoutPost.map((problem) => `${problem}: lost its post to another leaderboard`),
        ...refused.map(({ board, message }) => `${quote(board)}: ${message}`),
      ],
      "posts.txt",
    );
  },
};

export const migrationCommands: readonly Command[] = [getUserNames, updateUserNames, setForumIds];
