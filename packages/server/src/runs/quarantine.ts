/** How something comes to speak against a run, and a ranked one off its board. */
import type { Transaction } from "kysely";
import { KernelBotError, type FlagCheck } from "@kernelbot/core";
import { storableText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";
import { append } from "./log.ts";
import { scoreColumns } from "./summary.ts";

export interface NewFlag {
  check: FlagCheck;
  message: string;
  /** Who says so, where it is a person. */
  accountId?: string;
  /** The re-run that is the evidence. */
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

/** Takes a run that passed off its board until it is decided, and says so in its log. */
export async function quarantine(transaction: Transaction<Tables>, run: EntryRun, flag: NewFlag): Promise<void> {
  await holdBack(transaction, run, flag.message);
  await addFlag(transaction, run.id, flag);
  const { check, message } = flag;
  await append(transaction, run.submission_id, [
    { runId: run.id, attempt: run.attempt, event: { type: "run_flagged", check, message } },
  ]);
}

/** The verdict alone, with its message. */
export async function holdBack(transaction: Transaction<Tables>, run: EntryRun, message: string): Promise<void> {
  await transaction
    .updateTable("run")
    .set({ verdict: "quarantined", message: storableText(message), ...scoreColumns(null) })
    .where("id", "=", run.id)
    .execute();
}

export type EntryRun = Awaited<ReturnType<typeof entryRun>>;

/**
 * The run by which a submission entered its board, locked: it stands for its re-runs too, since what is decided is whether
 * the entry counts.
 * @throws KernelBotError `not_found`.
 */
export async function entryRun(transaction: Transaction<Tables>, runId: number) {
  const run = await transaction
    .selectFrom("run")
    .select(["id", "submission_id", "account_id", "target", "mode", "attempt", "state", "verdict", "failure_class"])
    .select("imported")
    .select(["problem_version", "carried"])
    .where((where) => where.or([where("rerun", "=", 0), where("carried", "=", true)]))
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
  if (run === undefined) throw new KernelBotError("not_found", `there is no run ${runId}`);
  return run;
}
