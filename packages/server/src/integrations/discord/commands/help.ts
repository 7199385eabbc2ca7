/** `/leaderboard help`, and the status commands. */
import { viewerOf } from "../accounts.ts";
import type { Command } from "../command.ts";
import { plain } from "../escape.ts";
import { guildOf } from "../guilds.ts";

export const help: Command = {
  path: "leaderboard help",
  about: "How to take part",
  options: [],
  async run({ bot, asker }) {
    const viewer = await viewerOf(bot, asker.user);
    const channel = (await guildOf(bot, asker.guildId))?.submissions_channel ?? null;
    const account =
      viewer === undefined
        ? `You have no account here yet: your first submission makes one. If you have signed in at <${bot.publicUrl}> by other means, link Discord on <${bot.publicUrl}/account> first.`
        : `Here you are **${plain(viewer.account.name)}**. Signed in with Discord at <${bot.publicUrl}>, you are the same.`;
    return {
      content: `**How to take part**
1. \`/leaderboard list\` shows the leaderboards, \`/leaderboard task\` what one asks for.
2. \`/leaderboard template\` gives you a file to begin with; write your kernel into it.
3. \`/leaderboard submit test\` checks it, \`benchmark\` times it, \`ranked\` enters the leaderboard, \`profile\` says where the time goes. You alone see how it goes; the report comes in a thread of yours.
4. \`/leaderboard show\` has the ranking, \`show-personal\` your own runs, \`get-submission\` what you handed in.

A file may say where it goes: \`#!POPCORN leaderboard NAME\` and \`#!POPCORN gpu NAME\` in its head.${channel === null ? "" : ` Submissions are taken in <#${channel}>.`}
${account}`,
    };
  },
};

export const ping: Command = {
  path: "ping",
  about: "Whether the bot is there",
  options: [],
  run: async () => ({ content: "pong" }),
};

export const verifyDatabase: Command = {
  path: "verifydb",
  about: "Whether the database answers",
  options: [],
  async run({ bot }) {
    const [row] = await bot.database.sql<{ number: number }>`select random() as number`;
    return { content: `Your lucky number is ${row?.number}.` };
  },
};
