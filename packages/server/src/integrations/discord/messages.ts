/** Public messages: in order per channel, each posted once. */
import { sql, type Selectable } from "kysely";
import type { Tables } from "../../db/tables.ts";
import { idempotent } from "../../db/idempotent.ts";
import type { Bot } from "./bot.ts";
import { claimRow, postpone } from "./row-leases.ts";

type Row = Selectable<Tables["discord_message"]>;

/** Leases a due message that is the first pending one of its channel. */
export function claimMessage({ database }: Bot, now: Date): Promise<Row | undefined> {
  return claimRow(database, "discord_message", now, {
    where: sql`due.state = 'pending' and not exists (select from discord_message before
      where before.channel_id = due.channel_id and before.id < due.id and before.state = 'pending')`,
    orderBy: "id",
  });
}

export async function sendMessage(bot: Bot, row: Row): Promise<void> {
  const { id, channel_id, content, lease_number } = row;
  let state: Row["state"] = "sent";
  try {
    await bot.api.post(channel_id, { content }, `m${id}`);
  } catch (error) {
    if (await postpone(bot.database, "discord_message", row, error, bot.clock())) return;
    state = "failed";
  }
  await idempotent(bot.database.db)
    .updateTable("discord_message")
    .set({ state, lease_until: null })
    .where("id", "=", id)
    .where("lease_number", "=", lease_number)
    .execute();
}

const KEPT_MS = 7 * 86_400_000;

export async function deleteOldMessages({ database: { db }, clock }: Bot): Promise<void> {
  const before = new Date(clock().getTime() - KEPT_MS);
  await idempotent(db)
    .deleteFrom("discord_message")
    .where("state", "<>", "pending")
    .where("created_at", "<", before)
    .execute();
}
