/** Channels configured per Discord guild. */
import { requireRole, type Identity } from "../../auth/identity.ts";
import { audit } from "../../auth/audit.ts";
import type { Bot } from "./bot.ts";
import { runTransaction } from "../../db/transaction.ts";

export interface Channels {
  submissions_channel: string | null;
  forum_channel: string | null;
}

export async function guildOf({ database: { db } }: Bot, id: string | null): Promise<Channels | null> {
  if (id === null) return null;
  const row = await db.selectFrom("discord_guild").selectAll().where("id", "=", id).executeTakeFirst();
  return row ?? null;
}

/** Configures the channels of a guild. @throws KernelBotError `forbidden` for callers other than administrators. */
export async function setChannels(
  { database: { db } }: Bot,
  identity: Identity,
  id: string,
  channels: Channels,
): Promise<void> {
  requireRole(identity, "administrator");
  await runTransaction(db, async (transaction) => {
    await transaction
      .insertInto("discord_guild")
      .values({ id, ...channels })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ ...channels }))
      .execute();
    await audit(transaction, identity, "set-channels", `discord ${id}`, { ...channels });
  });
}
