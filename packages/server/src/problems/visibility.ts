/**
 * Visibility of problems that are added from a folder, an archive or a tree: public, or restricted to the members of
 * their own competition.
 */
import type { Transaction } from "kysely";
import { CompetitionSpec, KernelBotError, type ProblemVisibility } from "@kernelbot/core";
import { audit } from "../auth/audit.ts";
import { createIn } from "../competitions/change.ts";
import type { Identity } from "../auth/identity.ts";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import type { Tables } from "../db/tables.ts";
import { runTransaction } from "../db/transaction.ts";
import { lockOwnProblem } from "./ownership.ts";

/**
 * Duration of the competition that is created for a new closed problem, in milliseconds; its organisers may change its
 * dates.
 */
const CLOSED_FOR_MS = 365 * 24 * 3_600_000;

/**
 * Ensures that a stored problem has the requested visibility, in the transaction that stored it. For a new closed
 * problem, creates a closed competition of the same name. The visibility of existing problems and competitions is not
 * changed.
 * @param isNew Whether this transaction created the problem.
 * @throws KernelBotError `conflict` if the problem already exists with the other visibility, or the name of the new
 * competition is taken.
 */
export async function ensureVisibility(
  transaction: Transaction<Tables>,
  identity: Identity,
  requested: ProblemVisibility,
  { name, isNew }: { name: string; isNew: boolean },
): Promise<void> {
  const { competition, visibility } = await getVisibility(transaction, name);
  if ((visibility === "closed") === (requested === "closed")) return;
  if (requested === "closed" && competition === null && isNew) {
    await createIn(transaction, identity, closedCompetition(name));
    return;
  }
  const where =
    competition === null ? "in no competition" : `in the competition ${competition}, which is ${visibility}`;
  const remedy =
    competition === null ? "add it to a closed competition first" : `change the visibility of ${competition} first`;
  throw new KernelBotError(
    "conflict",
    `${name} was requested as ${requested} but already exists ${where}; nothing was changed. ${remedy}`,
  );
}

/** Returns the competition of a problem and its visibility; both null for a practice problem. */
function getVisibility(transaction: Transaction<Tables>, name: string) {
  return transaction
    .selectFrom("problem")
    .leftJoin("competition", "competition.name", "problem.competition")
    .select(["problem.competition", "competition.visibility"])
    .where("problem.name", "=", name)
    .executeTakeFirstOrThrow();
}

/**
 * Changes who sees a problem: everyone, or the members of its competition. A practice problem that becomes closed gets a
 * closed competition of the same name.
 * @throws the errors of `lockOwnProblem`; KernelBotError `conflict` if its competition has other problems, whose
 * visibility would change too.
 */
export async function setProblemVisibility(
  { db }: Database,
  identity: Identity,
  name: string,
  requested: ProblemVisibility,
): Promise<void> {
  await runTransaction(idempotent(db), async (transaction) => {
    await lockOwnProblem(transaction, identity, name);
    const { competition, visibility } = await getVisibility(transaction, name);
    if ((visibility === "closed") === (requested === "closed")) return;
    if (competition === null) {
      await createIn(transaction, identity, closedCompetition(name));
      return;
    }
    const others = await transaction
      .selectFrom("problem")
      .select("name")
      .where("competition", "=", competition)
      .where("name", "!=", name)
      .orderBy("name")
      .execute();
    if (others.length > 0) {
      throw new KernelBotError(
        "conflict",
        `${name} is in the competition ${competition} with ${others.map((other) => other.name).join(", ")}, which would ` +
          `change too; change the visibility of the competition ${competition} instead`,
      );
    }
    await transaction
      .updateTable("competition")
      .set({ visibility: requested })
      .where("name", "=", competition)
      .execute();
    await audit(transaction, identity, "change", `competition ${competition}`, { visibility: requested });
  });
}

function closedCompetition(name: string): CompetitionSpec {
  const now = Date.now();
  return CompetitionSpec.parse({
    name,
    title: name,
    visibility: "closed",
    startsAt: new Date(now).toISOString(),
    endsAt: new Date(now + CLOSED_FOR_MS).toISOString(),
    problems: [name],
  });
}
