/**
 * `/leaderboard submit …`: downloads the file and stores a row. `submissions.ts` then submits it and reports progress,
 * also after a restart of the server.
 */
import {
  KernelBotError,
  MAX_SOURCE_BYTES,
  parseSource,
  quote,
  requireDirectives,
  SINGLE_MODES,
  type Mode,
} from "@kernelbot/core";
import { storableText } from "../../../db/json.ts";
import { entrantOf } from "../accounts.ts";
import { downloadAttachment } from "../attachments.ts";
import type { Bot } from "../bot.ts";
import { requireOption, type InteractionContext, type Call, type Command, type Part, type Reply } from "../command.ts";
import { code } from "../escape.ts";
import { BOARD, getBoardByName, GPU, splitList, getTargets } from "../find.ts";
import { guildOf } from "../guilds.ts";
import { TOKEN_MS } from "../submissions.ts";

/** Maximum number of stored files per user for which no target has been chosen yet. */
const MAX_ASKING_ROWS = 5;
const SCRIPT = "script";

const ABOUT: Record<Exclude<Mode, "duel">, string> = {
  test: "Check a kernel, without timing it",
  benchmark: "Check and time a kernel, without ranking it",
  ranked: "Check and time a kernel, and enter the leaderboard",
  profile: "Profile a kernel",
  application: "Check whether a kernel works in the problem's application",
};

export const submitCommands: readonly Command[] = SINGLE_MODES.map((mode) => ({
  path: `leaderboard submit ${mode}`,
  about: ABOUT[mode],
  options: [
    { name: SCRIPT, about: "File with your kernel", type: "attachment", required: true },
    { ...BOARD, about: "Leaderboard (default: named in the file)" },
    { ...GPU, about: "GPU, or several separated by commas (default: choose from a menu)" },
  ],
  run: (call) => receiveSubmission(call, mode),
}));

async function receiveSubmission({ bot, context, options }: Call, mode: Mode): Promise<Reply> {
  const elsewhere = await findOtherChannel(bot, context);
  if (elsewhere !== null) return { content: `Submit in <#${elsewhere}>.` };
  const file = requireOption(options.attachment(SCRIPT), SCRIPT);
  const source = parseSource(await downloadAttachment(bot, file, MAX_SOURCE_BYTES));
  const identity = await entrantOf(bot, context.user);
  const directives = requireDirectives(source);
  const boardName = options.text(BOARD.name) ?? directives.board;
  if (boardName === undefined) {
    throw new KernelBotError(
      "bad_request",
      `set the option leaderboard_name, or add this line to the file: #!POPCORN leaderboard NAME`,
    );
  }
  const board = await getBoardByName(bot, identity, boardName);
  if (directives.board !== undefined && directives.board.toLowerCase() !== board.name) {
    throw new KernelBotError(
      "bad_request",
      `the command names the leaderboard ${board.name}, but the file names ${quote(directives.board)}; make them equal`,
    );
  }
  const chosen = options.text(GPU.name);
  const requested = chosen === undefined ? (directives.targets ?? []) : splitList(chosen);
  const targets = requested.length > 0 ? getTargets(board, requested) : board.targets.slice(0, 1);
  const isOpen = requested.length === 0 && board.targets.length > 1;
  const id = await storeRow(bot, context, {
    account_id: identity.account.id,
    state: isOpen ? "asking" : "accepting",
    board: board.name,
    mode,
    targets: [...new Set(targets)],
    file_name: storableText(file.filename),
    source: storableText(source),
  });
  if (!isOpen) return null;
  await deleteOlderRows(bot, context);
  return {
    content: `Please select the GPU(s) for leaderboard: ${code(board.name)}.`,
    menu: { id: `gpus:${id}`, placeholder: "GPUs", options: board.targets },
  };
}

/** `gpus:ID` with the chosen targets. The choice has its own token, which edits the same message. */
export const gpusPart: Part = async ({ bot, context }, [id = ""], chosen) => {
  const row = await bot.database.db
    .updateTable("discord_submission")
    .set({ targets: [...chosen], state: "accepting", ...tokenOf(bot, context), due_at: bot.clock() })
    .where("id", "=", /^\d{1,15}$/.test(id) ? Number(id) : 0)
    .where("user_id", "=", context.user.id)
    .where("state", "=", "asking")
    .returning("id")
    .executeTakeFirst();
  if (row === undefined)
    throw new KernelBotError("gone", "the GPUs were already chosen or the choice has expired; submit the file again");
  return null;
};

/** Returns the submissions channel of the guild, when it is set and the command came from another channel. */
async function findOtherChannel(bot: Bot, { guildId, channelId }: InteractionContext): Promise<string | null> {
  const channel = (await guildOf(bot, guildId))?.submissions_channel ?? channelId;
  return channel === channelId ? null : channel;
}

interface NewRow {
  account_id: string;
  state: "asking" | "accepting";
  board: string;
  mode: Mode;
  targets: string[];
  file_name: string;
  source: string;
}

async function storeRow(bot: Bot, context: InteractionContext, taken: NewRow): Promise<number> {
  const { guildId: guild_id, channelId: channel_id, user } = context;
  const { id } = await bot.database.db
    .insertInto("discord_submission")
    .values({ interaction_id: context.id, guild_id, channel_id, user_id: user.id, ...tokenOf(bot, context), ...taken })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

async function deleteOlderRows({ database: { db } }: Bot, { user }: InteractionContext): Promise<void> {
  await db
    .deleteFrom("discord_submission")
    .where("id", "in", (query) =>
      query
        .selectFrom("discord_submission")
        .select("id")
        .where("user_id", "=", user.id)
        .where("state", "=", "asking")
        .orderBy("id", "desc")
        .offset(MAX_ASKING_ROWS),
    )
    .where("state", "=", "asking")
    .execute();
}

/** Returns the token with the time until which it is used, slightly before it expires. */
function tokenOf({ clock }: Bot, { token }: InteractionContext): { token: string; token_until: Date } {
  return { token, token_until: new Date(clock().getTime() + TOKEN_MS) };
}
