/**
 * Announces changes of the top three of each board, as anonymous viewers see it, when the board's change number has
 * increased. The announced state is stored in the same transaction as the messages.
 */
import { sql, type Transaction } from "kysely";
import { compareBoards, entrantOf } from "@kernelbot/core";
import { findBoard } from "../../boards/boards.ts";
import { STRANGER } from "../../auth/visibility.ts";
import { json } from "../../db/json.ts";
import type { Tables } from "../../db/tables.ts";
import { idempotent } from "../../db/idempotent.ts";
import { runTransaction } from "../../db/transaction.ts";
import type { Bot } from "./bot.ts";
import { PODIUM, podiumAnnouncements, type PodiumEntry } from "./podium.ts";

/** Key of the advisory lock: with two servers, two states of a board could be announced in the wrong order. */
const LOCK = 0x6b62_6463;

/** Maximum number of announcements per board at once. */
const MAX_ANNOUNCEMENTS = 6;

export async function announceBoardChanges(bot: Bot): Promise<void> {
  await runTransaction(idempotent(bot.database.db), (transaction) => announceChanges(bot, transaction));
}

async function announceChanges(bot: Bot, transaction: Transaction<Tables>): Promise<void> {
  const lock = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${LOCK}::bigint) as mine`.execute(
    transaction,
  );
  if (lock.rows[0]?.mine !== true) return;
  // Boards that existed before the bot was started are not announced.
  const first = await transaction.selectFrom("discord_board").select("problem").limit(1).executeTakeFirst();
  const changed = await transaction
    .selectFrom("board as b")
    .leftJoin("discord_board as d", (join) =>
      join.onRef("d.problem", "=", "b.problem").onRef("d.target", "=", "b.target"),
    )
    .leftJoin("board_change as r", (join) =>
      join.onRef("r.problem", "=", "b.problem").onRef("r.target", "=", "b.target"),
    )
    .innerJoin("problem", "problem.name", "b.problem")
    .select(["b.problem", "b.target", "d.podium"])
    .select(sql<number>`coalesce(r.change_number, 0)`.as("changeNumber"))
    .where("problem.suite", "is", null)
    .where(sql<boolean>`coalesce(r.change_number, 0) > coalesce(d.change_number, -1)`)
    .execute();
  if (changed.length === 0) return;
  const channels = await listAnnouncementChannels(transaction);
  for (const { problem, target, podium, changeNumber } of changed.toSorted(compareBoards)) {
    const { places, imported } = await readPodium(bot, problem, target);
    await transaction
      .insertInto("discord_board")
      .values({ problem, target, change_number: changeNumber, podium: json(places) })
      .onConflict((conflict) =>
        conflict.columns(["problem", "target"]).doUpdateSet({ change_number: changeNumber, podium: json(places) }),
      )
      .execute();
    if ((podium === null && first === undefined) || imported) continue;
    const news = podiumAnnouncements(podium ?? [], places, problem, target).slice(0, MAX_ANNOUNCEMENTS);
    if (news.length === 0 || channels.length === 0) continue;
    const content = news.join("\n");
    await transaction
      .insertInto("discord_message")
      .values(channels.map((channel_id) => ({ channel_id, content })))
      .execute();
  }
}

async function listAnnouncementChannels(transaction: Transaction<Tables>): Promise<string[]> {
  const rows = await transaction
    .selectFrom("discord_guild")
    .select("submissions_channel")
    .where("submissions_channel", "is not", null)
    .orderBy("id")
    .execute();
  return rows.flatMap((row) => row.submissions_channel ?? []);
}

/**
 * Returns the top three; empty when anonymous viewers may not see the board. They are not announced if all of them are
 * imported.
 */
async function readPodium(
  bot: Bot,
  problem: string,
  target: string,
): Promise<{ places: PodiumEntry[]; imported: boolean }> {
  const rows = (await findBoard(bot.database, STRANGER, problem, target))?.rows ?? [];
  const first = rows.filter(({ rank }) => rank <= PODIUM);
  const places = first.map((row) => ({ ...entrantOf(row), rank: row.rank }));
  return { places, imported: first.length > 0 && first.every(({ imported }) => imported) };
}
