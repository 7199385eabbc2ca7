/** What waits for a moderator. */
import { KernelBotError, type Flag, type ModerationQueue, type QuarantineItem } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";
import { openAppeals } from "./decisions.ts";

/** Runs that are shown at once; the oldest come first, so that none waits for ever. */
const SHOWN = 100;

/** Runs that something speaks against, and appeals without an answer. */
export async function moderationQueue(database: Database): Promise<ModerationQueue> {
  const [items, appeals] = await Promise.all([quarantined(database), openAppeals(database)]);
  return { items, appeals };
}

/** One run with what speaks against it. @throws KernelBotError `not_found` where nothing does. */
export async function quarantineItem(database: Database, runId: number): Promise<QuarantineItem> {
  const [item] = await quarantined(database, runId);
  if (item === undefined) throw new KernelBotError("not_found", `nothing speaks against a run ${runId}`);
  return item;
}

/** Those among all runs, or one run. */
export async function quarantined({ db }: Database, only?: number): Promise<QuarantineItem[]> {
  const rows = await retrying(() =>
    db
      .selectFrom("flag")
      .innerJoin("run", "run.id", "flag.run_id")
      .innerJoin("submission", "submission.id", "run.submission_id")
      .innerJoin("account", "account.id", "run.account_id")
      .leftJoin("account as by", "by.id", "flag.account_id")
      .select(["flag.name", "flag.at", "flag.message", "flag.evidence_run", "by.id as by_id", "by.name as by_name"])
      .select(["run.id", "run.submission_id", "run.target", "run.verdict", "run.finished_at", "run.review"])
      .select([
        "submission.problem",
        "submission.file_name",
        "account.id as account_id",
        "account.name as account_name",
      ])
      .where("flag.decision_id", "is", null)
      .where("flag.run_id", "in", (query) => {
        const ids = query
          .selectFrom("flag as f")
          .select("f.run_id")
          .where("f.decision_id", "is", null)
          .groupBy("f.run_id")
          .orderBy((order) => order.fn.min("f.id"))
          .limit(SHOWN);
        return only === undefined ? ids : ids.where("f.run_id", "=", only);
      })
      .orderBy("flag.id")
      .execute(),
  );
  const items = new Map<number, QuarantineItem>();
  for (const row of rows) {
    const item = items.get(row.id) ?? {
      runId: row.id,
      submissionId: row.submission_id,
      account: { id: row.account_id, name: row.account_name },
      board: row.problem,
      target: row.target,
      fileName: row.file_name,
      verdict: row.verdict ?? "quarantined",
      finishedAt: row.finished_at?.toISOString() ?? row.at.toISOString(),
      flags: [],
      review: row.review ?? [],
    };
    items.set(row.id, item);
    const flag: Flag = {
      check: row.name,
      at: row.at.toISOString(),
      message: row.message,
      by: row.by_id === null || row.by_name === null ? null : { id: row.by_id, name: row.by_name },
      evidenceRunId: row.evidence_run,
    };
    item.flags.push(flag);
  }
  return [...items.values()];
}
