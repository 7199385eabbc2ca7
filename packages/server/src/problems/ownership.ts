/** Checks who may close or retire a problem. */
import type { Transaction } from "kysely";
import { noProblem, reachable } from "../auth/visibility.ts";
import { requireOrganiser } from "../competitions/organisers.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";

/**
 * Locks a problem and checks that the caller may close or retire it.
 * @throws KernelBotError `forbidden` unless the caller organises its competition, or is an administrator for a practice
 * problem; `not_found`.
 */
export async function lockOwnProblem(
  transaction: Transaction<Tables>,
  identity: Identity,
  name: string,
): Promise<void> {
  const problem = await transaction
    .selectFrom("problem")
    .select("competition")
    .where("name", "=", name)
    .where(reachable(identity, "problem.competition"))
    .forUpdate()
    .executeTakeFirst();
  if (problem === undefined) throw noProblem(name);
  if (problem.competition === null) requireRole(identity, "administrator");
  else await requireOrganiser(transaction, identity, [problem.competition]);
}
