/** The log of deliveries. All deliveries are added here. */
import { sql, type Kysely, type Transaction } from "kysely";
import type { WebhookPayload } from "@kernelbot/core";
import { jsonText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { GIVE_UP_MS } from "./backoff.ts";

/** Number of deliveries kept per webhook, and days for which finished ones are kept after their creation. */
export const MAX_DELIVERIES = 1000;
const KEPT_DAYS = 30;

type PayloadFields<P> = P extends WebhookPayload ? Pick<P, "type" | "timestamp" | "data"> : never;

export interface NewDelivery {
  webhookId: number;
  /** Problem of the event; null if there is none. */
  problem: string | null;
  payload: PayloadFields<WebhookPayload>;
}

/**
 * Adds a delivery to each of these webhooks, at most one per webhook. Row locks on the webhooks, held until the
 * transaction ends, order the sequence numbers.
 */
export async function addDeliveries(
  transaction: Transaction<Tables>,
  tellings: readonly NewDelivery[],
  now: Date,
): Promise<void> {
  if (tellings.length === 0) return;
  const numbered = await sql<{ id: number; last_sequence: number }>`
    update webhook set last_sequence = last_sequence + 1
    where id in (select id from webhook where id = any(${idsOf(tellings)}::bigint[]) order by id for no key update)
    returning id, last_sequence`.execute(transaction);
  const sequences = new Map(numbered.rows.map((row) => [row.id, row.last_sequence]));
  const rows = tellings.flatMap(({ webhookId, problem, payload: { type, timestamp, data } }) => {
    const sequence = sequences.get(webhookId);
    // The webhook was deleted meanwhile.
    if (sequence === undefined) return [];
    return [{ webhookId, sequence, problem, type, body: jsonText({ type, timestamp, sequence, data }) }];
  });
  await sql`
    insert into webhook_delivery (webhook_id, sequence, event, problem, body, created_at, next_try_at, give_up_at)
    select (e ->> 'webhookId')::bigint, (e ->> 'sequence')::bigint, e ->> 'type', e ->> 'problem', e ->> 'body',
      ${now}::timestamptz, ${now}::timestamptz, ${new Date(now.getTime() + GIVE_UP_MS)}::timestamptz
    from json_array_elements(${JSON.stringify(rows)}::text::json) e`.execute(transaction);
  await sql`
    delete from webhook_delivery d using webhook w
    where w.id = any(${idsOf(tellings)}::bigint[]) and d.webhook_id = w.id
      and d.sequence <= w.last_sequence - ${MAX_DELIVERIES}::integer`.execute(transaction);
}

/** Deletes old finished deliveries. @returns their number. */
export async function deleteOldDeliveries(db: Kysely<Tables>, now: Date): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("webhook_delivery")
    .where("state", "<>", "pending")
    .where("created_at", "<", new Date(now.getTime() - KEPT_DAYS * 86_400_000))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

function idsOf(tellings: readonly NewDelivery[]): number[] {
  return tellings.map(({ webhookId }) => webhookId);
}
