/** The moderation queue. */
import { sql } from "kysely";
import {
  KernelBotError,
  type Flag,
  type FlagCheck,
  type ModerationQueue,
  type QuarantineItem,
  type ModerationQueueCounts,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { openAppeals } from "./decisions.ts";

/** Number of runs returned; those flagged first come first. */
const SHOWN = 100;

/** Filter of the flagged runs. */
export interface QueueFilter {
  /** Only runs with a flag of this check. */
  check?: FlagCheck | undefined;
  problem?: string | undefined;
}

/** Returns the runs with open flags, and the open appeals. */
export async function moderationQueue(database: Database): Promise<ModerationQueue> {
  const [items, appeals] = await Promise.all([quarantined(database), openAppeals(database)]);
  return { items, appeals };
}

/** Counts the runs with open flags, in total, by check and by problem. */
export async function queueCounts({ db }: Database): Promise<ModerationQueueCounts> {
  const { rows } = await sql<{ check: FlagCheck | null; problem: string | null; runs: number }>`
      select flag.name as check, s.problem, count(distinct flag.run_id) as runs
      from flag join run on run.id = flag.run_id join submission s on s.id = run.submission_id
      where flag.decision_id is null
      group by grouping sets ((flag.name), (s.problem), ())
      order by s.problem`.execute(db);
  return {
    runs: rows.find(({ check, problem }) => check === null && problem === null)?.runs ?? 0,
    checks: rows.flatMap(({ check, runs }) => (check === null ? [] : [{ check, runs }])),
    problems: rows.flatMap(({ problem, runs }) => (problem === null ? [] : [{ problem, runs }])),
  };
}

/** Returns a run with its open flags. @throws KernelBotError `not_found` if it has none. */
export async function quarantineItem(database: Database, runId: number): Promise<QuarantineItem> {
  const [item] = await quarantined(database, { runId });
  if (item === undefined) throw new KernelBotError("not_found", `run ${runId} has no open flags`);
  return item;
}

/** Returns runs with open flags, optionally filtered, or one run. */
export async function quarantined(
  { db }: Database,
  { runId, check, problem, limit = SHOWN }: QueueFilter & { runId?: number; limit?: number } = {},
): Promise<QuarantineItem[]> {
  const rows = await db
    .selectFrom("flag")
    .innerJoin("run", "run.id", "flag.run_id")
    .innerJoin("submission", "submission.id", "run.submission_id")
    .innerJoin("account", "account.id", "run.account_id")
    .leftJoin("account as by", "by.id", "flag.account_id")
    .select(["flag.name", "flag.at", "flag.message", "flag.evidence_run", "by.id as by_id", "by.name as by_name"])
    .select(["run.id", "run.submission_id", "run.target", "run.verdict", "run.finished_at", "run.review"])
    .select(["submission.problem", "submission.file_name", "account.id as account_id", "account.name as account_name"])
    .where("flag.decision_id", "is", null)
    // Runs of evaluations have no flags.
    .$narrowType<{ problem: string }>()
    .where("flag.run_id", "in", (query) => {
      let ids = query
        .selectFrom("flag as f")
        .innerJoin("run as r", "r.id", "f.run_id")
        .innerJoin("submission as s", "s.id", "r.submission_id")
        .select("f.run_id")
        .where("f.decision_id", "is", null)
        .groupBy("f.run_id")
        .orderBy((order) => order.fn.min("f.id"))
        .limit(limit);
      if (runId !== undefined) ids = ids.where("f.run_id", "=", runId);
      if (problem !== undefined) ids = ids.where("s.problem", "=", problem);
      return check === undefined ? ids : ids.having(sql<boolean>`bool_or(f.name = ${check})`);
    })
    .orderBy("flag.id")
    .execute();
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
