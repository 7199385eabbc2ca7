/**
 * Erasure of what the server stores about a person. The account remains under a pseudonym, so that leaderboards do not
 * change. One transaction makes the account unusable and executes the statements of `tables.ts`; the background job
 * `delete-contents.ts` then deletes sources and outputs, and continues after a crash.
 */
import { randomBytes } from "node:crypto";
import { CompiledQuery, sql, type Kysely, type Transaction } from "kysely";
import {
  KernelBotError,
  quote,
  type AccountName,
  type Erasure,
  type ErasurePreview,
  type ErasureRequest,
} from "@kernelbot/core";
import { getAccountByName, lockedAdministrators } from "../auth/accounts.ts";
import { audit } from "../auth/audit.ts";
import { hasRole, requireRole, requireScope, type Identity } from "../auth/identity.ts";
import { nameColumns } from "../auth/lookalikes.ts";
import { forgetIdentities } from "../auth/tokens.ts";
import type { PersonalTable } from "../db/personal-tables.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { markRemoved } from "../moderation/remove.ts";
import { cancelOpenRuns } from "../submissions/cancel.ts";
import { eraseRows, type PersonalDatabase } from "./erase-rows.ts";
import { erasureObstacles } from "./obstacles.ts";

/** Returns what an erasure of the caller's account would do. Changes nothing. */
export function previewOwnErasure(data: PersonalDatabase, identity: Identity): Promise<ErasurePreview> {
  requireScope(identity, "account");
  return preview(data, identity.account);
}

/** As `previewOwnErasure`, for any account. @throws KernelBotError `forbidden`; `not_found`. */
export async function previewErasure(
  data: PersonalDatabase,
  identity: Identity,
  name: string,
): Promise<ErasurePreview> {
  requireRole(identity, "administrator");
  return preview(data, await getAccountByName(data.database.db, name));
}

async function preview(
  { database: { db }, personalTables }: PersonalDatabase,
  account: AccountName,
): Promise<ErasurePreview> {
  const counts = await Promise.all(
    personalTables.map(async ({ table, rows, erasure }) => {
      const query = `select count(*)::int as count from ${table} t where ${rows}`;
      const result = await db.executeQuery(CompiledQuery.raw(query, [account.id]));
      return { table, rows: (result.rows[0] as { count: number }).count, erasure };
    }),
  );
  const [open, results] = await Promise.all([
    listOpenSubmissions(db, account.id),
    listBoardSubmissions(db, account.id),
  ]);
  return {
    account: { id: account.id, name: account.name },
    obstacles: await erasureObstacles(db, personalTables, account.id),
    openRuns: open.reduce((sum, { runs }) => sum + runs, 0),
    boardResults: results.reduce((sum, { runs }) => sum + runs, 0),
    tables: counts.filter(({ rows }) => rows > 0),
  };
}

/**
 * Erases the caller's account.
 * @throws KernelBotError `unprocessable` for another name than that of the account; `conflict` where something must be
 * done first, or where results would be removed from leaderboards that are final.
 */
export async function eraseOwnAccount(
  data: PersonalDatabase,
  identity: Identity,
  request: ErasureRequest,
): Promise<Erasure> {
  requireScope(identity, "account");
  return erase(data, identity, identity.account, request);
}

/** Erases an account on request of its owner. @throws as `eraseOwnAccount`; `forbidden`; `not_found`. */
export async function eraseAccount(
  data: PersonalDatabase,
  identity: Identity,
  name: string,
  request: ErasureRequest,
): Promise<Erasure> {
  requireRole(identity, "administrator");
  return erase(data, identity, await getAccountByName(data.database.db, name), request);
}

async function erase(
  { database, personalTables }: PersonalDatabase,
  identity: Identity,
  account: AccountName,
  { name, removeResults }: ErasureRequest,
): Promise<Erasure> {
  if (name !== account.name) {
    throw new KernelBotError(
      "unprocessable",
      `name: ${quote(name)} is not the name of the account; to confirm the erasure, repeat ${quote(account.name)}`,
    );
  }
  const erasure = await runTransaction(database.db, (transaction) =>
    eraseIn(transaction, personalTables, identity, account, removeResults),
  );
  forgetIdentities(database);
  return erasure;
}

async function eraseIn(
  transaction: Transaction<Tables>,
  personalTables: readonly PersonalTable[],
  identity: Identity,
  account: AccountName,
  removeResults: boolean,
): Promise<Erasure> {
  await lockedAdministrators(transaction);
  const { erased_at: before } = await transaction
    .selectFrom("account")
    .select("erased_at")
    .where("id", "=", account.id)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (before !== null) throw new KernelBotError("conflict", `${account.name} was erased at ${before.toISOString()}`);
  const obstacles = await erasureObstacles(transaction, personalTables, account.id);
  if (obstacles.length > 0) throw new KernelBotError("conflict", obstacles.join("; "));

  let cancelledRuns = 0;
  for (const { id } of await listOpenSubmissions(transaction, account.id)) {
    cancelledRuns += await cancelOpenRuns(transaction, id);
  }
  const removed = removeResults ? await removeAll(transaction, identity, account) : 0;
  await eraseRows(transaction, personalTables, account.id);
  const row = await transaction
    .updateTable("account")
    .set({
      ...nameColumns(`deleted-${randomBytes(5).toString("hex")}`),
      assigned_roles: [],
      group_roles: [],
      licence: null,
      anonymous: true,
      weight: 1,
      erased_at: sql<Date>`clock_timestamp()`,
    })
    .where("id", "=", account.id)
    .returning(["name", "erased_at"])
    .executeTakeFirstOrThrow();
  await audit(transaction, identity, "erase", `account ${account.id}`, { cancelledRuns, removedSubmissions: removed });
  return {
    account: { id: account.id, name: row.name },
    erasedAt: (row.erased_at as Date).toISOString(),
    cancelledRuns,
    removedSubmissions: removed,
  };
}

/** Removes the submissions of an account that are on leaderboards. @returns their number. */
async function removeAll(transaction: Transaction<Tables>, identity: Identity, account: AccountName): Promise<number> {
  const found = await listBoardSubmissions(transaction, account.id);
  const final = found.find(({ isFinal }) => isFinal);
  if (final !== undefined && !hasRole(identity, "administrator")) {
    throw new KernelBotError(
      "conflict",
      `the leaderboard ${final.problem} is closed and its results are final; erase the account without removing its results, or ask an administrator`,
    );
  }
  for (const { id } of found) await markRemoved(transaction, { account }, id, null);
  return found.length;
}

async function listOpenSubmissions(db: Kysely<Tables>, accountId: string): Promise<{ id: number; runs: number }[]> {
  return db
    .selectFrom("run")
    .select("submission_id as id")
    .select(sql<number>`count(*)::int`.as("runs"))
    .where("state", "in", ["queued", "running"])
    .where("account_id", "=", accountId)
    .groupBy("submission_id")
    .orderBy("submission_id")
    .execute();
}

interface BoardSubmission {
  id: number;
  problem: string;
  /** Number of its runs on leaderboards. */
  runs: number;
  /** Whether a leaderboard of its problem is closed. */
  isFinal: boolean;
}

async function listBoardSubmissions(db: Kysely<Tables>, accountId: string): Promise<BoardSubmission[]> {
  const { rows } = await sql<BoardSubmission>`
    select k.submission_id as id, k.problem, count(*)::int as runs, bool_or(coalesce(w.closes_at <= now(), false)) as "isFinal"
    from ranking k join problem_window w on w.problem = k.problem
    where k.account_id = ${accountId} group by 1, 2 order by 1`.execute(db);
  return rows;
}
