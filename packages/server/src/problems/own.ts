/** Who may end or take away a problem. */
import type { Transaction } from "kysely";
import { noProblem, reachable } from "../competitions/access.ts";
import { requireOrganiser } from "../competitions/organisers.ts";
import { requireRole, type Identity } from "../db/identity.ts";
import type { Tables } from "../db/tables.ts";

/**
 * Locks a problem for one who organises it.
 * @throws KernelBotError `forbidden` but for the organisers of its competition, and for practice but for administrators;
 * `not_found`.
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
