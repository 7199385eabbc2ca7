/** Appeals against decisions, and their answers. */
import { sql } from "kysely";
import { isAppealable, KernelBotError, type AppealDecisionRequest, type Appealable } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, requireScope, type Identity } from "../auth/identity.ts";
import { storableText } from "../db/json.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import type { Signer } from "../runs/signer.ts";
import { unbanById } from "./ban.ts";
import { acceptRun } from "./decide.ts";
import { recordDecision, readDecision } from "./decisions.ts";
import { restore } from "./remove.ts";

/**
 * Files an appeal of the caller against a decision about them; also possible for banned accounts. Each decision can be
 * appealed once; answers to appeals cannot be appealed.
 * @throws KernelBotError `not_found` if the decision concerns another account; `conflict` if it was appealed before or
 * cannot be appealed.
 */
export async function appeal(database: Database, identity: Identity, decisionId: number, text: string): Promise<void> {
  requireScope(identity, "read");
  const found = await readDecision(database, decisionId);
  if (found?.account.id !== identity.account.id) {
    throw new KernelBotError("not_found", `decision ${decisionId} about you not found`);
  }
  const row = await idempotent(database.db)
    .updateTable("decision")
    .set({ appeal: storableText(text), appealed_at: sql<Date>`clock_timestamp()` })
    .where("id", "=", decisionId)
    .where("act", "in", ["reject", "remove", "ban"])
    .where("answers", "is", null)
    .where("appeal", "is", null)
    .returning("id")
    .executeTakeFirst();
  if (row !== undefined) return;
  throw new KernelBotError(
    "conflict",
    found.appeal === null
      ? `decision ${decisionId} cannot be appealed`
      : `decision ${decisionId} was already appealed at ${found.appeal.at}; only one appeal is allowed`,
  );
}

/**
 * Answers an appeal: the decision is reversed or upheld. Answers are final.
 * @returns the id of the answer, which is a decision too.
 * @throws KernelBotError `forbidden` if the caller is not a moderator; `conflict` if there is no open appeal; the
 * errors of the reversal.
 */
export async function answer(
  database: Database,
  identity: Identity,
  decisionId: number,
  { grant, reason }: AppealDecisionRequest,
  signer: Signer,
): Promise<number> {
  requireRole(identity, "moderator");
  const found = await readDecision(database, decisionId);
  if (found === null) throw new KernelBotError("not_found", `decision ${decisionId} not found`);
  if (found.appeal === null || found.answer !== null || !isAppealable(found.act)) {
    throw new KernelBotError("conflict", `decision ${decisionId} has no open appeal`);
  }
  const grounds = { reason, answers: decisionId };
  const { submissionId, runId, account } = found;
  if (grant) {
    const reverse: Record<Appealable, () => Promise<number>> = {
      reject: () => acceptRun(database, identity, requireId(runId), grounds, signer),
      remove: () => restore(database, identity, requireId(submissionId), grounds),
      ban: () => unbanById(database, identity, account.id, grounds),
    };
    return reverse[found.act]();
  }
  const subject = {
    accountId: account.id,
    ...(runId !== null ? { runId } : submissionId !== null ? { submissionId } : {}),
  };
  return runTransaction(idempotent(database.db), (transaction) =>
    recordDecision(transaction, identity, "uphold", subject, grounds),
  );
}

function requireId(id: number | null): number {
  if (id === null) throw new KernelBotError("internal", "the decision has no subject");
  return id;
}
