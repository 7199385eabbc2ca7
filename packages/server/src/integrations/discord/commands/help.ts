/** `/leaderboard help`, and the status commands. */
import { viewerOf } from "../accounts.ts";
import type { Command } from "../command.ts";
import { plain } from "../escape.ts";
import { guildOf } from "../guilds.ts";

export const help: Command = {
  path: "leaderboard help",
  about: "Show how to submit a kernel",
  options: [],
  async run({ bot, context }) {
    const viewer = await viewerOf(bot, context.user);
    const channel = (await guildOf(bot, context.guildId))?.submissions_channel ?? null;
    const account =
      viewer === undefined
        ? `You have no account here yet: your first submission creates one. If you already have an account at <${bot.publicUrl}>, link Discord on <${bot.publicUrl}/account> first.`
        : `Your account: **${plain(viewer.account.name)}**. Sign in with Discord at <${bot.publicUrl}> to use it there.`;
    return {
      content: `**How to submit a kernel**
1. \`/leaderboard list\` lists the leaderboards, \`/leaderboard task\` shows a problem with its reference code.
2. \`/leaderboard template\` sends a starter file; write your kernel in it.
3. \`/leaderboard submit test\` checks it, \`benchmark\` times it, \`ranked\` enters the leaderboard, \`profile\` profiles it, \`application\` shows whether it works in use. Only you see the progress; the report is posted in a private thread.
4. \`/leaderboard show\` shows the ranking, \`show-personal\` your ranked submissions, \`get-submission\` a submission's source and status.

A file may name its leaderboard and GPUs: \`#!POPCORN leaderboard NAME\` and \`#!POPCORN gpu NAME\` at the top of the file.${channel === null ? "" : ` Submit in <#${channel}>.`}
${account}`,
    };
  },
};

export const ping: Command = {
  path: "ping",
  about: "Check that the bot responds",
  options: [],
  run: async () => ({ content: "pong" }),
};

export const verifyDatabase: Command = {
  path: "verifydb",
  about: "Check that the database responds",
  options: [],
  async run({ bot }) {
    const [row] = await bot.database.sql<{ number: number }>`select random() as number`;
    return { content: `Your lucky number is ${row?.number}.` };
  },
};
