/** Flags runs, and quarantines ranked runs. */
import type { Transaction } from "kysely";
import { KernelBotError, type FlagCheck } from "@kernelbot/core";
import { storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { append } from "./log.ts";
import { scoreColumns } from "./summary.ts";

interface NewFlag {
  check: FlagCheck;
  message: string;
  /** Account that raised the flag, if it was not an automatic check. */
  accountId?: string;
  /** Re-run that is the evidence. */
  evidenceRun?: number;
}

export async function addFlag(
  transaction: Transaction<Tables>,
  runId: number,
  { check, message, accountId, evidenceRun }: NewFlag,
): Promise<void> {
  await transaction
    .insertInto("flag")
    .values({
      run_id: runId,
      name: check,
      message: storableText(message),
      account_id: accountId ?? null,
      evidence_run: evidenceRun ?? null,
    })
    .execute();
}

/** Quarantines a passed run: it leaves its board until a moderator decides. Adds a flag and an event to the log. */
export async function quarantine(transaction: Transaction<Tables>, run: EntryRun, flag: NewFlag): Promise<void> {
  await setQuarantined(transaction, run, flag.message);
  await addFlag(transaction, run.id, flag);
  const { check, message } = flag;
  await append(transaction, run.submission_id, [
    { runId: run.id, attempt: run.attempt, event: { type: "run_flagged", check, message } },
  ]);
}

/** Sets only the verdict and the message, and deletes the score. */
export async function setQuarantined(transaction: Transaction<Tables>, run: EntryRun, message: string): Promise<void> {
  await transaction
    .updateTable("run")
    .set({ verdict: "quarantined", message: storableText(message), ...scoreColumns(null) })
    .where("id", "=", run.id)
    .execute();
}

export type EntryRun = Awaited<ReturnType<typeof entryRun>>;

/**
 * Returns the run with which a submission entered its board, locked: the original run, or the one that carried it over
 * to the current revision. It also represents its re-runs, because decisions are about the entry as a whole.
 * @throws KernelBotError `not_found`.
 */
export async function entryRun(transaction: Transaction<Tables>, runId: number) {
  const run = await transaction
    .selectFrom("run")
    .select(["id", "submission_id", "account_id", "target", "mode", "attempt", "state", "verdict", "failure_class"])
    .select("imported")
    .select(["problem_version", "carried_over"])
    .where((where) => where.or([where("rerun", "=", 0), where("carried_over", "=", true)]))
    .where((where) =>
      where(
        where.refTuple("submission_id", "target", "problem_version"),
        "in",
        where
          .selectFrom("run as any")
          .select(["any.submission_id", "any.target", "any.problem_version"])
          .where("any.id", "=", runId)
          .$asTuple("submission_id", "target", "problem_version"),
      ),
    )
    .orderBy("rerun", "desc")
    .forUpdate()
    .executeTakeFirst();
  if (run === undefined) throw new KernelBotError("not_found", `run ${runId} not found`);
  return run;
}
