/** The webhooks of an account, visible and changeable only by their owner. */
import { randomBytes } from "node:crypto";
import { sql, type Selectable, type Transaction } from "kysely";
import {
  KernelBotError,
  quote,
  webhookSecret,
  byTarget,
  compareText,
  type BoardAddress,
  type CreatedWebhook,
  type NewWebhook,
  type Webhook,
} from "@kernelbot/core";
import { reachable } from "../auth/visibility.ts";
import { requireOrganiser } from "../competitions/organisers.ts";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { parseWebhookUrl, type AddressRules } from "./addresses.ts";
import { addDeliveries } from "./deliveries.ts";
import { FAILING_AFTER } from "./backoff.ts";

const MAX_WEBHOOKS = 10;

const SECRET_BYTES = 32;

const PAUSED_BY_OWNER = "paused by its owner";

/**
 * Registers a webhook for events from now on.
 * @returns the webhook with its secret, which is never returned again.
 * @throws KernelBotError `unprocessable` for a URL that the rules forbid; `not_found` for a board or a competition that
 * the account may not see; `forbidden` for a competition that it does not organise; `conflict` when the limit is
 * reached.
 */
export async function createWebhook(
  { db }: Database,
  identity: Identity,
  { url, events, boards, competition }: NewWebhook,
  rules: AddressRules,
): Promise<CreatedWebhook> {
  requireScope(identity, "account");
  const address = parseWebhookUrl(url, rules).href;
  const secret = webhookSecret(randomBytes(SECRET_BYTES));
  const accountId = identity.account.id;
  const webhook = await runTransaction(idempotent(db), async (transaction) => {
    await requireRoom(transaction, accountId);
    if (competition !== null) await requireOrganising(transaction, identity, competition);
    for (const board of boards) await requireBoard(transaction, identity, board);
    const row = await transaction
      .insertInto("webhook")
      .values({ account_id: accountId, url: address, events: [...new Set(events)], competition, secret })
      .returningAll()
      .executeTakeFirstOrThrow();
    if (events.includes("board.rank_changed")) await storeInitialRanks(transaction, row, boards);
    return viewOf(row, boards);
  });
  return { webhook, secret };
}

/** Returns the caller's webhooks, oldest first. */
export async function listWebhooks({ db }: Database, identity: Identity): Promise<Webhook[]> {
  requireScope(identity, "account");
  const rows = await db
    .selectFrom("webhook")
    .selectAll()
    .select(
      sql<BoardAddress[]>`(select coalesce(json_agg(json_build_object('board', b.problem, 'target', b.target)), '[]')
          from webhook_board b where b.webhook_id = webhook.id and b.named)`.as("boards"),
    )
    .where("account_id", "=", identity.account.id)
    .orderBy("id")
    .execute();
  return rows.map((row) => viewOf(row, row.boards));
}

/** Pauses a webhook: nothing is sent, and no deliveries are added. */
export function pauseWebhook(database: Database, identity: Identity, id: number): Promise<Webhook> {
  const pause = { paused_at: new Date(), pause_reason: PAUSED_BY_OWNER };
  return changed(database, identity, id, (transaction) =>
    transaction.updateTable("webhook").set(pause).where("id", "=", id).execute(),
  );
}

/** Resumes a webhook, with pending deliveries and new events. */
export function resumeWebhook(database: Database, identity: Identity, id: number): Promise<Webhook> {
  const resumed = { paused_at: null, pause_reason: null, failures: 0, not_before: null };
  return changed(database, identity, id, (transaction) =>
    transaction.updateTable("webhook").set(resumed).where("id", "=", id).execute(),
  );
}

/** Sends an event of type `webhook.test`. @throws KernelBotError `conflict` while the webhook is paused. */
export function testWebhook(database: Database, identity: Identity, id: number): Promise<Webhook> {
  return changed(database, identity, id, async (transaction, webhook) => {
    requireActive(webhook);
    const now = new Date();
    const payload = { type: "webhook.test" as const, timestamp: now.toISOString(), data: { webhookId: id } };
    await addDeliveries(transaction, [{ webhookId: id, problem: null, payload }], now);
  });
}

/** Deletes a webhook and its log. */
export async function deleteWebhook({ db }: Database, identity: Identity, id: number): Promise<void> {
  requireScope(identity, "account");
  const { numDeletedRows } = await idempotent(db)
    .deleteFrom("webhook")
    .where("id", "=", id)
    .where("account_id", "=", identity.account.id)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw noWebhook(id);
}

/** Returns and locks a webhook of the caller. @throws KernelBotError `not_found`. */
export async function ownWebhook(
  transaction: Transaction<Tables>,
  identity: Identity,
  id: number,
): Promise<Selectable<Tables["webhook"]>> {
  const webhook = await transaction
    .selectFrom("webhook")
    .selectAll()
    .where("id", "=", id)
    .where("account_id", "=", identity.account.id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (webhook === undefined) throw noWebhook(id);
  return webhook;
}

/** Requires that a webhook is active. @throws KernelBotError `conflict` while it is paused. */
export function requireActive({ id, pause_reason }: Selectable<Tables["webhook"]>): void {
  if (pause_reason === null) return;
  throw new KernelBotError("conflict", `webhook ${id} is paused (${pause_reason}); resume it first`);
}

export function noWebhook(id: number): KernelBotError {
  return new KernelBotError("not_found", `webhook ${id} does not exist or is not yours`);
}

async function changed(
  database: Database,
  identity: Identity,
  id: number,
  work: (transaction: Transaction<Tables>, webhook: Selectable<Tables["webhook"]>) => Promise<unknown>,
): Promise<Webhook> {
  requireScope(identity, "account");
  await runTransaction(idempotent(database.db), async (transaction) => {
    await work(transaction, await ownWebhook(transaction, identity, id));
  });
  const webhook = (await listWebhooks(database, identity)).find((each) => each.id === id);
  if (webhook === undefined) throw noWebhook(id);
  return webhook;
}

/**
 * Requires fewer than MAX_WEBHOOKS webhooks. Locks the account, so that concurrent requests cannot exceed the limit.
 */
async function requireRoom(transaction: Transaction<Tables>, accountId: string): Promise<void> {
  await transaction.selectFrom("account").select("id").where("id", "=", accountId).forNoKeyUpdate().execute();
  const { count } = await transaction
    .selectFrom("webhook")
    .select(sql<number>`count(*)`.as("count"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  if (count < MAX_WEBHOOKS) return;
  throw new KernelBotError("conflict", `an account has at most ${MAX_WEBHOOKS} webhooks; delete one first`);
}

/** Requires that the caller is an organiser of the competition; the role of administrator does not suffice. */
async function requireOrganising(
  transaction: Transaction<Tables>,
  identity: Identity,
  competition: string,
): Promise<void> {
  await requireOrganiser(transaction, identity, [competition]);
  const own = await transaction
    .selectFrom("competition_organiser")
    .select("competition")
    .where("competition", "=", competition)
    .where("account_id", "=", identity.account.id)
    .executeTakeFirst();
  if (own !== undefined) return;
  throw new KernelBotError("forbidden", `${identity.account.name} does not organise ${competition}`);
}

async function requireBoard(
  transaction: Transaction<Tables>,
  identity: Identity,
  { board, target }: BoardAddress,
): Promise<void> {
  const found = await transaction
    .selectFrom("board")
    .innerJoin("problem", "problem.name", "board.problem")
    .select("board.problem")
    .where("board.problem", "=", board)
    .where("board.target", "=", target)
    // Visibility for webhooks ignores roles.
    .where(reachable({ ...identity, roles: [] }, "problem.competition"))
    .executeTakeFirst();
  if (found !== undefined) return;
  throw new KernelBotError("not_found", `the board ${quote(board)} does not exist on target ${quote(target)}`);
}

/**
 * Stores the current ranks of the boards that the webhook follows: those that it names, those that its owner is on, and
 * those of its competition.
 */
async function storeInitialRanks(
  transaction: Transaction<Tables>,
  { id, account_id, competition }: Selectable<Tables["webhook"]>,
  boards: readonly BoardAddress[],
): Promise<void> {
  for (const { board, target } of boards) {
    await transaction
      .insertInto("webhook_board")
      .values({ webhook_id: id, problem: board, target, named: true })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  await sql`
    insert into webhook_board (webhook_id, problem, target, named)
    select ${id}::bigint, problem, target, false from (
      select e.problem, e.target from board_entry e where e.account_id = ${account_id}
      union
      select b.problem, b.target from board b join problem p on p.name = b.problem where p.competition = ${competition}
    ) begun
    on conflict do nothing`.execute(transaction);
  await sql`
    insert into webhook_outbox (problem, target)
    select problem, target from webhook_board where webhook_id = ${id}::bigint`.execute(transaction);
}

function viewOf(row: Selectable<Tables["webhook"]>, boards: readonly BoardAddress[]): Webhook {
  const { id, url, events, competition, pause_reason, failures, created_at } = row;
  const state = pause_reason !== null ? "paused" : failures >= FAILING_AFTER ? "failing" : "active";
  return {
    id,
    url,
    events,
    boards: boards.toSorted((a, b) => compareText(a.board, b.board) || byTarget(a, b)),
    competition,
    state,
    pauseReason: pause_reason,
    failures,
    createdAt: created_at.toISOString(),
  };
}
