/** Who may see a problem that is added from a folder, an archive or a tree: everyone, or members of its own competition only. */
import type { Transaction } from "kysely";
import { CompetitionSpec, KernelBotError, type ProblemVisibility } from "@kernelbot/core";
import { createIn } from "../competitions/change.ts";
import type { Identity } from "../db/identity.ts";
import type { Tables } from "../db/tables.ts";

/** Duration of the competition that a new closed problem is put into, in ms; its organisers may change its dates. */
const CLOSED_FOR_MS = 365 * 24 * 3_600_000;

/**
 * Makes sure that a stored problem has the requested visibility, in the transaction that stored it. A new closed problem
 * becomes the only problem of a closed competition of the same name. Nothing that exists is opened or closed.
 * @param isNew Whether this transaction created the problem.
 * @throws KernelBotError `conflict` where the problem existed with the other visibility, or where the name of the new
 * competition is taken.
 */
export async function ensureVisibility(
  transaction: Transaction<Tables>,
  identity: Identity,
  wanted: ProblemVisibility,
  { name, isNew }: { name: string; isNew: boolean },
): Promise<void> {
  const { competition, visibility } = await transaction
    .selectFrom("problem")
    .leftJoin("competition", "competition.name", "problem.competition")
    .select(["problem.competition", "competition.visibility"])
    .where("problem.name", "=", name)
    .executeTakeFirstOrThrow();
  if ((visibility === "closed") === (wanted === "closed")) return;
  if (wanted === "closed" && competition === null && isNew) {
    await createIn(transaction, identity, closedCompetition(name));
    return;
  }
  const where =
    competition === null ? "in no competition" : `in the competition ${competition}, which is ${visibility}`;
  const remedy =
    competition === null ? "add it to a closed competition first" : `change the visibility of ${competition} first`;
  throw new KernelBotError(
    "conflict",
    `${name} was requested as ${wanted}, and exists already ${where}, so nothing of it was changed; ${remedy}`,
  );
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
