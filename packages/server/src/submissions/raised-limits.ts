/** Submission limits of the server, and raised limits of single accounts. */
import type { Transaction } from "kysely";
import { limitsIn, type AccountLimits, type Limits } from "@kernelbot/core";
import { noProblem, reachable } from "../auth/visibility.ts";
import { requireOrganiser } from "../competitions/organisers.ts";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { getAccountByName } from "../auth/accounts.ts";
import { audit } from "../auth/audit.ts";

/** Replaces the server-wide limits, which apply to boards and competitions without limits of their own. */
export async function setServerLimits({ db }: Database, limits: Limits): Promise<void> {
  const rows = limitsIn(limits).map((limit) => ({ competition: null, problem: null, ...limit }));
  await runTransaction(idempotent(db), async (transaction) => {
    await transaction
      .deleteFrom("submission_limit")
      .where("competition", "is", null)
      .where("problem", "is", null)
      .execute();
    // Servers that start at the same time insert the same rows.
    if (rows.length > 0) {
      await transaction
        .insertInto("submission_limit")
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  });
}

/**
 * Replaces the raised limits of an account in one scope (server, competition or board). Without limits, the general
 * limits apply again.
 * @throws KernelBotError `forbidden` unless the caller may change the limits of that scope: organisers for their
 * competition, administrators for the server and for practice boards; `not_found`.
 */
export async function raiseLimits({ db }: Database, identity: Identity, raised: AccountLimits): Promise<void> {
  const { account, competition, board: problem, limits } = raised;
  await runTransaction(idempotent(db), async (transaction) => {
    await requireMayRaise(transaction, identity, raised);
    const { id } = await getAccountByName(transaction, account);
    await transaction
      .deleteFrom("account_limit")
      .where("account_id", "=", id)
      .where("competition", "is not distinct from", competition)
      .where("problem", "is not distinct from", problem)
      .execute();
    const rows = limitsIn(limits).map((limit) => ({ account_id: id, competition, problem, ...limit }));
    if (rows.length > 0) await transaction.insertInto("account_limit").values(rows).execute();
    await audit(transaction, identity, "raise", `limits of ${account}`, { competition, board: problem, limits });
  });
}

async function requireMayRaise(
  transaction: Transaction<Tables>,
  identity: Identity,
  { competition, board }: AccountLimits,
): Promise<void> {
  requireRole(identity, "organiser");
  if (competition !== null) {
    await requireOrganiser(transaction, identity, [competition]);
    return;
  }
  if (board === null) {
    requireRole(identity, "administrator");
    return;
  }
  const found = await transaction
    .selectFrom("problem")
    .select("competition")
    .where("name", "=", board)
    .where(reachable(identity, "problem.competition"))
    .executeTakeFirst();
  if (found === undefined) throw noProblem(board);
  if (found.competition === null) requireRole(identity, "administrator");
  else await requireOrganiser(transaction, identity, [found.competition]);
}
