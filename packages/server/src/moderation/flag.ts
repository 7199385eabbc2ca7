/**
 * Flags raised by people: a moderator's flag quarantines a run, a participant's report asks a moderator to review it.
 */
import { sql } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import { reachable, unhidden } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { requireRole, requireScope, type Identity } from "../auth/identity.ts";
import { storableText } from "../db/json.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { audit } from "../auth/audit.ts";
import { lockAccount } from "../auth/lock-account.ts";
import { addFlag, entryRun, quarantine } from "../runs/quarantine.ts";

/** Maximum number of open reports of one account. */
const MAX_REPORTS = 20;

/**
 * Quarantines a passed ranked run until it is decided. A quarantined run gets another flag.
 * @returns the id of the run with which the entry came to the board.
 * @throws KernelBotError `forbidden` if the caller is not a moderator; `not_found`; `conflict` for any other run.
 */
export async function flagRun({ db }: Database, identity: Identity, runId: number, reason: string): Promise<number> {
  requireRole(identity, "moderator");
  return runTransaction(idempotent(db), async (transaction) => {
    const run = await entryRun(transaction, runId);
    if (run.mode !== "ranked" || (run.verdict !== "passed" && run.verdict !== "quarantined")) {
      throw new KernelBotError(
        "conflict",
        `run ${runId} is not on a board; only ranked runs that passed can be flagged`,
      );
    }
    const newFlag = { check: "moderator", message: reason, accountId: identity.account.id } as const;
    if (run.verdict === "passed") await quarantine(transaction, run, newFlag);
    else await addFlag(transaction, run.id, newFlag);
    await audit(transaction, identity, "flag", `run ${run.id}`, { reason });
    return run.id;
  });
}

/**
 * Reports a passed ranked run to the moderators. The run stays on its board, and its owner is not notified.
 * @throws KernelBotError `not_found` if there is no such run on a board; `too_many_requests` if the caller has too many
 * open reports.
 */
export async function reportRun({ db }: Database, identity: Identity, runId: number, reason: string): Promise<void> {
  requireScope(identity, "submit");
  const run = await db
    .selectFrom("run as flagged")
    .innerJoin("run", (join) =>
      join
        .onRef("run.submission_id", "=", "flagged.submission_id")
        .onRef("run.target", "=", "flagged.target")
        .onRef("run.problem_version", "=", "flagged.problem_version")
        .on((on) => on.or([on("run.rerun", "=", 0), on("run.carried_over", "=", true)])),
    )
    .innerJoin("submission", "submission.id", "run.submission_id")
    .innerJoin("problem", "problem.name", "submission.problem")
    .select("run.id")
    .where("flagged.id", "=", runId)
    .where("run.mode", "=", "ranked")
    .where("run.verdict", "=", "passed")
    .where("submission.removed_at", "is", null)
    .where(reachable(identity, "problem.competition"))
    .where(unhidden(identity, "submission"))
    .executeTakeFirst();
  if (run === undefined) throw new KernelBotError("not_found", `run ${runId} on a board not found`);
  await runTransaction(idempotent(db), async (transaction) => {
    await lockAccount(transaction, identity.account.id);
    const { count } = await transaction
      .selectFrom("flag")
      .select(sql<number>`count(*)`.as("count"))
      .where("account_id", "=", identity.account.id)
      .where("run_id", "<>", run.id)
      .where("name", "=", "report")
      .where("decision_id", "is", null)
      .executeTakeFirstOrThrow();
    if (count >= MAX_REPORTS) {
      throw new KernelBotError(
        "too_many_requests",
        `you have ${count} open reports, the maximum; wait until a moderator has decided`,
      );
    }
    await transaction
      .insertInto("flag")
      .values({ run_id: run.id, name: "report", account_id: identity.account.id, message: storableText(reason) })
      .onConflict((conflict) =>
        conflict
          .columns(["account_id", "run_id"])
          // A literal, because the partial index cannot be inferred from a parameter of a prepared statement.
          .where(sql<boolean>`name = 'report'`)
          .where("decision_id", "is", null)
          .doUpdateSet({ message: storableText(reason) }),
      )
      .execute();
  });
}
