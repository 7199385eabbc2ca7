import { sql, type Transaction } from "kysely";
import { entrantOf, KernelBotError, teamEntrant, type BoardRow } from "@kernelbot/core";
import { readBoard } from "../boards/boards.ts";
import { reachableFor, type Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { jsonText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { addDeliveries, type NewDelivery } from "./deliveries.ts";
import { changesOf } from "./ranks.ts";
import { organises } from "./submissions.ts";

/** Identity that sees all rows. The board is read once; visibility is checked per webhook in the database. */
const THE_SERVER: Viewer = {
  account: { id: "", name: "" },
  roles: ["administrator"],
  banReason: null,
  scopes: ["admin"],
  targets: [],
  tokenId: null,
  sessionId: null,
};

/** Adds deliveries for ranks of a board that changed since each webhook's last delivery. */
export async function addBoardDeliveries(
  database: Database,
  transaction: Transaction<Tables>,
  board: string,
  target: string,
  at: Date,
  now: Date,
): Promise<void> {
  if (!(await hasSubscribers(transaction))) return;
  const rows = await rowsOf(database, board, target);
  const rowOf = new Map(rows.map((row) => [entrantOf(row).id, row]));
  const updates: object[] = [];
  const tellings: NewDelivery[] = [];
  for (const { id, shown_as, team_id, first, sent_ranks, begins } of await listSubscribers(
    transaction,
    board,
    target,
    rows,
  )) {
    const watch = { entrantId: team_id === null ? shown_as : teamEntrant(team_id), first };
    const { changes, known } = changesOf(sent_ranks ?? [], rows, rowOf, watch);
    if (begins || changes.length > 0) updates.push({ id, sent_ranks: known });
    if (begins || changes.length === 0) continue;
    const payload = {
      type: "board.rank_changed" as const,
      timestamp: at.toISOString(),
      data: { board, target, changes },
    };
    tellings.push({ webhookId: id, problem: board, payload });
  }
  await storeRanks(transaction, board, target, updates);
  await addDeliveries(transaction, tellings, now);
}

async function hasSubscribers(transaction: Transaction<Tables>): Promise<boolean> {
  const any = await transaction
    .selectFrom("webhook")
    .select("id")
    .where(sql<boolean>`'board.rank_changed' = any(events)`)
    .where("paused_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return any !== undefined;
}

/** Returns the webhooks subscribed to this board, with the ranks last delivered to each. */
function listSubscribers(transaction: Transaction<Tables>, board: string, target: string, rows: readonly BoardRow[]) {
  const shownAs = sql<string>`coalesce(shown_as(webhook.account_id, competition.pseudonym_key), webhook.account_id)`;
  const accounts = rows.flatMap(({ account, team }) => [account, ...(team?.members ?? [])].map(({ id }) => id));
  return (
    transaction
      .selectFrom("webhook")
      .innerJoin("account", "account.id", "webhook.account_id")
      .innerJoin("problem", (join) => join.on("problem.name", "=", board))
      .leftJoin("competition", "competition.name", "problem.competition")
      .leftJoin("webhook_board as known", (join) =>
        join
          .onRef("known.webhook_id", "=", "webhook.id")
          .on("known.problem", "=", board)
          .on("known.target", "=", target),
      )
      .leftJoin("team_member as m", (join) =>
        join
          .onRef("m.competition", "=", "problem.competition")
          .onRef("m.account_id", "=", "webhook.account_id")
          .on("m.left_at", "is", null),
      )
      .select(["webhook.id", "known.sent_ranks", "m.team_id", shownAs.as("shown_as")])
      .select(sql<boolean>`coalesce(known.named, false) or coalesce(${organises()}, false)`.as("first"))
      .select(sql<boolean>`known.webhook_id is not null and known.sent_ranks is null`.as("begins"))
      .where(sql<boolean>`'board.rank_changed' = any(webhook.events)`)
      .where("webhook.paused_at", "is", null)
      .where("account.banned_at", "is", null)
      .where(reachableFor("webhook.account_id", "problem.competition"))
      .where((where) =>
        where.or([
          where("known.webhook_id", "is not", null),
          organises(),
          sql<boolean>`${shownAs} = any(${accounts}::text[])`,
        ]),
      )
      .orderBy("webhook.id")
      // Prevents deletion of a webhook before its delivery is stored.
      .forKeyShare("webhook")
      .execute()
  );
}

async function rowsOf(database: Database, board: string, target: string): Promise<BoardRow[]> {
  try {
    return (await readBoard(database, THE_SERVER, board, target)).rows;
  } catch (error) {
    // The problem no longer has this target, so there are no rows.
    if (error instanceof KernelBotError && error.code === "not_found") return [];
    throw error;
  }
}

async function storeRanks(
  transaction: Transaction<Tables>,
  board: string,
  target: string,
  updates: readonly object[],
): Promise<void> {
  if (updates.length === 0) return;
  await sql`
    insert into webhook_board (webhook_id, problem, target, named, sent_ranks)
    select (e ->> 'id')::bigint, ${board}, ${target}, false, e -> 'sent_ranks'
    from json_array_elements(${jsonText(updates)}::text::json) e
    on conflict (webhook_id, problem, target) do update set sent_ranks = excluded.sent_ranks`.execute(transaction);
}
