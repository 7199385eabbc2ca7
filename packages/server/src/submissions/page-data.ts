/** Data that the page of a submission shows in addition to the submission. */
import { sql } from "kysely";
import { compareTargets, type StageProgress, type Submission } from "@kernelbot/core";
import { reachable } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";

/** Until when a problem accepts ranked submissions, and its competition. */
interface SubmissionWindow {
  competition: { name: string; title: string } | null;
  /** ISO time; null if the problem has no end. */
  closesAt: string | null;
}

export async function findSubmissionWindow({ db }: Database, problem: string): Promise<SubmissionWindow> {
  const row = await db
    .selectFrom("problem")
    .innerJoin("problem_window as w", "w.problem", "problem.name")
    .leftJoin("competition", "competition.name", "problem.competition")
    .select(["competition.name", "competition.title", "w.closes_at"])
    .where("problem.name", "=", problem)
    .executeTakeFirst();
  const named = row?.name != null && row.title !== null;
  return {
    competition: named ? { name: row.name as string, title: row.title as string } : null,
    closesAt: row?.closes_at?.toISOString() ?? null,
  };
}

/** Returns the progress of the current stage of each running run of a submission, computed from its log. */
export async function listStageProgress({ db }: Database, submissionId: number): Promise<StageProgress[]> {
  const { rows } = await sql<{
    run_id: number;
    at: Date;
    total: number;
    done: number;
    rounds: { done: number; total: number } | null;
  }>`
      with now as (
        select distinct on (e.run_id) e.run_id, e.attempt, e.id, e.at, e.event
        from event e join run r on r.id = e.run_id and r.attempt = e.attempt and r.state = 'running'
        where e.submission_id = ${submissionId} and e.event ->> 'type' = 'stage_started'
        order by e.run_id, e.id desc
      )
      select now.run_id, now.at, (now.event ->> 'cases')::integer as total,
        (select count(*)::integer from event c where c.submission_id = ${submissionId} and c.run_id = now.run_id
          and c.id > now.id and c.event ->> 'type' = 'case_finished') as done,
        (select jsonb_build_object('done', p.event -> 'done', 'total', p.event -> 'total') from event p
          where p.submission_id = ${submissionId} and p.run_id = now.run_id and p.id > now.id
            and p.event ->> 'type' = 'progress' order by p.id desc limit 1) as rounds
      from now`.execute(db);
  return rows.map(({ run_id, at, total, done, rounds }) => ({
    runId: run_id,
    since: at.toISOString(),
    rounds,
    cases: { done, total },
  }));
}

/**
 * Returns the latest submission of an account to the same problem, on one of the targets of `runs`, that has a run with
 * a verdict; null if there is none. Removed submissions are skipped.
 * @param before Only submissions with a smaller id.
 */
export async function findLatestSubmission(
  { db }: Database,
  accountId: string,
  { board, runs }: Submission,
  before?: number,
): Promise<{ id: number; target: string } | null> {
  const row = await db
    .selectFrom("submission")
    .innerJoin("run", "run.submission_id", "submission.id")
    .select(["submission.id", "run.target"])
    .where("submission.account_id", "=", accountId)
    .where("submission.problem", "=", board)
    .where("submission.removed_at", "is", null)
    .where("submission.is_evaluation", "=", false)
    .where("run.state", "=", "done")
    .where(
      "run.target",
      "in",
      runs.map((run) => run.target),
    )
    .$if(before !== undefined, (query) => query.where("submission.id", "<", before as number))
    .orderBy("submission.id", "desc")
    .orderBy("run.id")
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Returns the problems and targets to which the caller has submitted, as far as the caller can still see them. Problems
 * of KernelBench suites are left out.
 */
export async function listSubmittedProblems(
  { db }: Database,
  identity: Identity,
): Promise<{ problems: string[]; targets: string[] }> {
  const rows = await db
    .selectFrom("submission")
    .innerJoin("problem", "problem.name", "submission.problem")
    .innerJoin("run", "run.submission_id", "submission.id")
    .select(["problem.name as problem", "run.target"])
    .distinct()
    .where("submission.account_id", "=", identity.account.id)
    .where("submission.is_evaluation", "=", false)
    .where("problem.suite", "is", null)
    .where(reachable(identity, "problem.competition"))
    .orderBy("problem.name")
    .execute();
  return {
    problems: [...new Set(rows.map(({ problem }) => problem))],
    targets: [...new Set(rows.map(({ target }) => target))].toSorted(compareTargets),
  };
}
