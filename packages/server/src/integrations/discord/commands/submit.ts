/**
 * `/leaderboard submit …`: downloads the file and stores a row. `submissions.ts` then submits it and reports progress,
 * also after a restart of the server.
 */
import { KernelBotError, MAX_SOURCE_BYTES, quote, requireDirectives, SINGLE_MODES, type Mode } from "@kernelbot/core";
import { decodeSource } from "../../../submissions/submit.ts";
import { storableText } from "../../../db/json.ts";
import { entrantOf } from "../accounts.ts";
import { fetched } from "../attachments.ts";
import type { Bot } from "../bot.ts";
import { needed, type Asker, type Call, type Command, type Part, type Reply } from "../command.ts";
import { code } from "../escape.ts";
import { BOARD, boardNamed, GPU, names, targetsNamed } from "../find.ts";
import { guildOf } from "../guilds.ts";
import { TOKEN_MS } from "../submissions.ts";

/** Maximum number of stored files per user for which no target has been chosen yet. */
const MOST_ASKING = 5;
const SCRIPT = "script";

const ABOUT: Record<Exclude<Mode, "duel">, string> = {
  test: "Check a kernel, without timing it",
  benchmark: "Check and time a kernel, without ranking it",
  ranked: "Check and time a kernel, and enter the leaderboard",
  profile: "See where the time of a kernel goes",
};

export const submits: readonly Command[] = SINGLE_MODES.map((mode) => ({
  path: `leaderboard submit ${mode}`,
  about: ABOUT[mode],
  options: [
    { name: SCRIPT, about: "The file with your kernel", type: "attachment", required: true },
    { ...BOARD, about: "The leaderboard; else the one that the file names" },
    { ...GPU, about: "The GPU, or several by commas; else you are asked" },
  ],
  run: (call) => take(call, mode),
}));

async function take({ bot, asker, given }: Call, mode: Mode): Promise<Reply> {
  const elsewhere = await channelInstead(bot, asker);
  if (elsewhere !== null) return { content: `Submissions are taken in <#${elsewhere}>.` };
  const file = needed(given.attachment(SCRIPT), SCRIPT);
  const source = decodeSource(await fetched(bot, file, MAX_SOURCE_BYTES));
  const identity = await entrantOf(bot, asker.user);
  const directives = requireDirectives(source);
  const asked = given.text(BOARD.name) ?? directives.board;
  if (asked === undefined) {
    throw new KernelBotError(
      "bad_request",
      `name the leaderboard, or have the file say it: #!POPCORN leaderboard NAME`,
    );
  }
  const board = await boardNamed(bot, identity, asked);
  if (directives.board !== undefined && directives.board.toLowerCase() !== board.name) {
    throw new KernelBotError(
      "bad_request",
      `the command names the leaderboard ${board.name}, the head of the file ${quote(directives.board)}: make them the same`,
    );
  }
  const chosen = given.text(GPU.name);
  const wanted = chosen === undefined ? (directives.targets ?? []) : names(chosen);
  const targets = wanted.length > 0 ? targetsNamed(board, wanted) : board.targets.slice(0, 1);
  const isOpen = wanted.length === 0 && board.targets.length > 1;
  const id = await store(bot, asker, {
    account_id: identity.account.id,
    state: isOpen ? "asking" : "accepting",
    board: board.name,
    mode,
    targets: [...new Set(targets)],
    file_name: storableText(file.filename),
    source: storableText(source),
  });
  if (!isOpen) return null;
  await forgetOthers(bot, asker);
  return {
    content: `Please select the GPU(s) for leaderboard: ${code(board.name)}.`,
    menu: { id: `gpus:${id}`, placeholder: "GPUs", options: board.targets },
  };
}

/** `gpus:ID` with the chosen targets. The choice has its own token, which edits the same message. */
export const gpusPart: Part = async ({ bot, asker }, [id = ""], chosen) => {
  const row = await bot.database.db
    .updateTable("discord_submission")
    .set({ targets: [...chosen], state: "accepting", ...tokenOf(bot, asker), due_at: bot.clock() })
    .where("id", "=", /^\d{1,15}$/.test(id) ? Number(id) : 0)
    .where("user_id", "=", asker.user.id)
    .where("state", "=", "asking")
    .returning("id")
    .executeTakeFirst();
  if (row === undefined) throw new KernelBotError("gone", "this was chosen already, or too long ago; submit it again");
  return null;
};

/** Returns the submissions channel of the guild, when it is set and the command came from another channel. */
async function channelInstead(bot: Bot, { guildId, channelId }: Asker): Promise<string | null> {
  const channel = (await guildOf(bot, guildId))?.submissions_channel ?? channelId;
  return channel === channelId ? null : channel;
}

interface Taken {
  account_id: string;
  state: "asking" | "accepting";
  board: string;
  mode: Mode;
  targets: string[];
  file_name: string;
  source: string;
}

async function store(bot: Bot, asker: Asker, taken: Taken): Promise<number> {
  const { guildId: guild_id, channelId: channel_id, user } = asker;
  const { id } = await bot.database.db
    .insertInto("discord_submission")
    .values({ interaction_id: asker.id, guild_id, channel_id, user_id: user.id, ...tokenOf(bot, asker), ...taken })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

async function forgetOthers({ database: { db } }: Bot, { user }: Asker): Promise<void> {
  await db
    .deleteFrom("discord_submission")
    .where("id", "in", (query) =>
      query
        .selectFrom("discord_submission")
        .select("id")
        .where("user_id", "=", user.id)
        .where("state", "=", "asking")
        .orderBy("id", "desc")
        .offset(MOST_ASKING),
    )
    .where("state", "=", "asking")
    .execute();
}

/** Returns the token with the time until which it is used, slightly before it expires. */
function tokenOf({ clock }: Bot, { token }: Asker): { token: string; token_until: Date } {
  return { token, token_until: new Date(clock().getTime() + TOKEN_MS) };
}
