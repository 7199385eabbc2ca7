/**
 * Sends deliveries, each at least once. States of a delivery:
 *
 *     pending --2xx response--> delivered
 *       |  ^
 *       |  +--failed, retried later
 *       +--failed for a day, or no longer visible to the owner--> failed
 *
 * A webhook is sent one delivery at a time: of those that are due, the one with the smallest sequence number. The
 * sending server leases the webhook until `not_before`; if the server ends, another one repeats the delivery then.
 */
import type { Transaction } from "kysely";
import { webhookHeaders } from "@kernelbot/core";
import { reachableFor } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { openWorkers, type Workers } from "../jobs/workers.ts";
import { PAUSE_AFTER, webhookBackoffMs, retryMs } from "./backoff.ts";
import { send, type Outcome, type SendOptions } from "./send.ts";

/** Number of deliveries that one server sends concurrently. */
const SLOTS = 16;

/** Duration of a lease, much longer than one try. */
const LEASE_MS = 30_000;

export interface DispatcherOptions extends SendOptions {
  clock?: () => Date;
}

interface Claimed {
  id: string;
  webhookId: number;
  url: string;
  secret: string;
  body: string;
  tries: number;
}

/** Opens the workers that send due deliveries. */
export function openDispatcher(
  database: Database,
  { clock = () => new Date(), signal = new AbortController().signal, ...options }: DispatcherOptions,
): Workers {
  return openWorkers({
    name: "webhook delivery",
    slots: SLOTS,
    slowMs: LEASE_MS,
    claim: () => claim(database, clock()),
    async work(claimed) {
      const headers = await webhookHeaders(claimed.secret, claimed.id, clock(), claimed.body);
      const types = { "content-type": "application/json", "user-agent": "KernelBot" };
      const outcome = await send(claimed.url, { ...types, ...headers }, claimed.body, { ...options, signal });
      // A try that was aborted by the shutdown says nothing about the receiver.
      if (!signal.aborted) await storeOutcome(database, claimed, outcome, clock());
    },
    signal,
    log: database.log,
  });
}

/** Leases the next webhook and delivery. Webhooks take turns, the least recently tried first. */
export async function claim({ db }: Database, now: Date): Promise<Claimed | undefined> {
  for (;;) {
    const taken = await runTransaction(idempotent(db), (transaction) => claimNext(transaction, now));
    if (taken !== "again") return taken;
  }
}

async function claimNext(transaction: Transaction<Tables>, now: Date): Promise<Claimed | undefined | "again"> {
  const webhook = await transaction
    .selectFrom("webhook")
    .innerJoin("account", "account.id", "webhook.account_id")
    .select(["webhook.id", "webhook.url", "webhook.secret"])
    .where("webhook.paused_at", "is", null)
    .where("account.banned_at", "is", null)
    .where((where) => where.or([where("not_before", "is", null), where("not_before", "<=", now)]))
    .where((where) =>
      where.exists(
        where
          .selectFrom("webhook_delivery as due")
          .select("due.id")
          .whereRef("due.webhook_id", "=", "webhook.id")
          .where("due.state", "=", "pending")
          .where("due.next_try_at", "<=", now),
      ),
    )
    .orderBy("webhook.tried_at", (order) => order.asc().nullsFirst())
    .orderBy("webhook.id")
    .limit(1)
    .forNoKeyUpdate("webhook")
    .skipLocked()
    .executeTakeFirst();
  if (webhook === undefined) return undefined;
  // A separate statement, started after locking: it sees what the previous holder of the lease has committed.
  const delivery = await transaction
    .selectFrom("webhook_delivery as d")
    .innerJoin("webhook", "webhook.id", "d.webhook_id")
    .leftJoin("problem", "problem.name", "d.problem")
    .select(["d.id", "d.body", "d.tries"])
    .select(reachableFor("webhook.account_id", "problem.competition").as("reachable"))
    .where("d.webhook_id", "=", webhook.id)
    .where("d.state", "=", "pending")
    .where("d.next_try_at", "<=", now)
    .orderBy("d.sequence")
    .limit(1)
    .executeTakeFirst();
  if (delivery === undefined) return "again";
  const { id, body, tries, reachable } = delivery;
  const update = transaction.updateTable("webhook_delivery").where("id", "=", id);
  if (!reachable) {
    const error = "not sent: the account can no longer see the subject of this event";
    await update.set({ state: "failed", next_try_at: null, error }).execute();
    return "again";
  }
  await update.set({ tries: tries + 1 }).execute();
  await transaction
    .updateTable("webhook")
    .set({ tried_at: now, not_before: new Date(now.getTime() + LEASE_MS) })
    .where("id", "=", webhook.id)
    .execute();
  return { id, webhookId: webhook.id, url: webhook.url, secret: webhook.secret, body, tries: tries + 1 };
}

/** Stores the outcome of a try. */
async function storeOutcome({ db }: Database, claimed: Claimed, outcome: Outcome, now: Date): Promise<void> {
  await runTransaction(idempotent(db), async (transaction) => {
    const webhook = await transaction
      .selectFrom("webhook")
      .select("failures")
      .where("id", "=", claimed.webhookId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (webhook === undefined) return;
    const stored = await settleDelivery(transaction, claimed, outcome, now);
    // Another server has claimed the delivery meanwhile, and stores the outcome of its own try.
    if (!stored) return;
    const failures = outcome.error === null ? 0 : webhook.failures + 1;
    const pause = { paused_at: now, pause_reason: `the last ${failures} tries failed` };
    await transaction
      .updateTable("webhook")
      .set({ failures, not_before: failures === 0 ? null : new Date(now.getTime() + webhookBackoffMs(failures)) })
      .$if(failures >= PAUSE_AFTER, (query) => query.set(pause))
      .where("id", "=", claimed.webhookId)
      .execute();
  });
}

async function settleDelivery(
  transaction: Transaction<Tables>,
  { id, tries }: Claimed,
  { status, answer, error }: Outcome,
  now: Date,
): Promise<boolean> {
  const delivery = await transaction
    .selectFrom("webhook_delivery")
    .select("give_up_at")
    .where("id", "=", id)
    .where("tries", "=", tries)
    .where("state", "=", "pending")
    .executeTakeFirst();
  if (delivery === undefined) return false;
  const again = new Date(now.getTime() + retryMs(tries));
  const waits = error !== null && again < delivery.give_up_at;
  await transaction
    .updateTable("webhook_delivery")
    .set({
      state: error === null ? "delivered" : waits ? "pending" : "failed",
      next_try_at: waits ? again : null,
      tried_at: now,
      status,
      answer: answer === null ? null : storableText(answer),
      error: error === null ? null : storableText(error),
    })
    .where("id", "=", id)
    .execute();
  return true;
}
