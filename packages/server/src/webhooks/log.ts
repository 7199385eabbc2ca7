/** The delivery log of a webhook for its owner, and redelivery. */
import type { Selectable } from "kysely";
import { KernelBotError, quote, type WebhookDelivery } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { GIVE_UP_MS } from "./backoff.ts";
import { noWebhook, ownWebhook, requireActive } from "./webhooks.ts";

/**
 * Returns deliveries, newest first.
 * @param before Only deliveries with a smaller sequence number.
 * @throws KernelBotError `not_found`.
 */
export async function listDeliveries(
  { db }: Database,
  identity: Identity,
  webhookId: number,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<WebhookDelivery[]> {
  requireScope(identity, "account");
  const own = await db
    .selectFrom("webhook")
    .select("id")
    .where("id", "=", webhookId)
    .where("account_id", "=", identity.account.id)
    .executeTakeFirst();
  if (own === undefined) throw noWebhook(webhookId);
  const rows = await db
    .selectFrom("webhook_delivery")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .$if(before !== undefined, (query) => query.where("sequence", "<", before as number))
    .orderBy("sequence", "desc")
    .limit(limit)
    .execute();
  return rows.map(viewOf);
}

/**
 * Schedules a delivery to be sent again with the same id, whatever its state.
 * @throws KernelBotError `not_found`; `conflict` while the webhook is paused.
 */
export async function redeliver(
  { db }: Database,
  identity: Identity,
  webhookId: number,
  deliveryId: string,
): Promise<WebhookDelivery> {
  requireScope(identity, "account");
  const row = await runTransaction(idempotent(db), async (transaction) => {
    requireActive(await ownWebhook(transaction, identity, webhookId));
    const now = new Date();
    const again = await transaction
      .updateTable("webhook_delivery")
      .set({ state: "pending", next_try_at: now, give_up_at: new Date(now.getTime() + GIVE_UP_MS) })
      .where("webhook_id", "=", webhookId)
      .where("id", "=", deliveryId)
      .returningAll()
      .executeTakeFirst();
    if (again === undefined) {
      throw new KernelBotError("not_found", `webhook ${webhookId} has no delivery ${quote(deliveryId)}`);
    }
    return again;
  });
  return viewOf(row);
}

function viewOf(row: Selectable<Tables["webhook_delivery"]>): WebhookDelivery {
  const { id, sequence, event, state, tries, status, answer, error } = row;
  const at = row.tried_at?.toISOString();
  return {
    id,
    sequence,
    event,
    state,
    createdAt: row.created_at.toISOString(),
    tries,
    nextTryAt: row.next_try_at?.toISOString() ?? null,
    lastTry: at === undefined ? null : { at, status, answer, error },
  };
}
