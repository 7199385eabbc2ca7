/** Late entries: ranked submissions that an organiser enters for an account after the deadline. */
import { KernelBotError, type LateEntryRequest } from "@kernelbot/core";
import { getAccountByName } from "../auth/accounts.ts";
import type { Identity } from "../auth/identity.ts";
import { requireOrganiser } from "../competitions/organisers.ts";
import type { Database } from "../db/database.ts";
import { runTransaction } from "../db/transaction.ts";
import { findSubmissionWindow } from "./page-data.ts";
import { unknownBoardError } from "./refusal.ts";
import { submit, type SubmitOptions, type Submitted } from "./submit.ts";

/**
 * Enters a ranked submission for an account. Everything but the deadline applies as if the account had submitted it:
 * limits, licence, members, targets. The audit log records it in the same transaction.
 * @throws KernelBotError `forbidden` if the caller does not organise the competition; `not_found`; `conflict` if the
 * problem has no deadline or it has not passed.
 */
export async function enterLate(
  database: Database,
  identity: Identity,
  { account: name, reason, ...entry }: LateEntryRequest,
  options: Pick<SubmitOptions, "idempotencyKey"> = {},
): Promise<Submitted> {
  const { competition, closesAt } = await findSubmissionWindow(database, entry.board);
  if (competition === null) throw await noCompetitionError(database, identity, entry.board);
  await runTransaction(database.db, (transaction) => requireOrganiser(transaction, identity, [competition.name]));
  if (closesAt === null || Date.parse(closesAt) > Date.now()) {
    const until = closesAt === null ? "has no deadline" : `accepts submissions until ${closesAt}`;
    throw new KernelBotError(
      "conflict",
      `the board ${entry.board} ${until}; ask ${name} to submit, after an extension of their deadline if it is a course`,
    );
  }
  return submit(
    database,
    await submitterNamed(database, name),
    { ...entry, mode: "ranked" },
    { ...options, lateEntry: { by: identity.account, reason } },
  );
}

async function noCompetitionError(database: Database, identity: Identity, board: string): Promise<KernelBotError> {
  const row = await database.db.selectFrom("problem").select("name").where("name", "=", board).executeTakeFirst();
  if (row === undefined) return unknownBoardError(database, identity, board);
  return new KernelBotError("conflict", `the board ${board} is not in a competition, so it has no deadline`);
}

/** Returns an identity that can submit as the account, without its roles. */
async function submitterNamed({ db }: Database, name: string): Promise<Identity> {
  const { id } = await getAccountByName(db, name);
  const account = await db
    .selectFrom("account")
    .select(["id", "name", "ban_reason"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return {
    account: { id, name: account.name },
    roles: [],
    banReason: account.ban_reason,
    scopes: ["submit"],
    targets: [],
    tokenId: null,
    sessionId: null,
  };
}
