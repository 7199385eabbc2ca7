/** The runners and the waiting runs with all that an administrator may know of them. */
import { sql } from "kysely";
import { machineName, type Mode, type RunnerStatus, type WaitingRun } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../db/identity.ts";
import { retrying } from "../db/retry.ts";
import { IS_THERE } from "../runs/runners.ts";

/** The runners that were heard of in the last week, by target and name. */
export async function listRunners({ db }: Database, identity: Identity): Promise<RunnerStatus[]> {
  requireRole(identity, "administrator");
  const [runners, runs] = await retrying(() =>
    Promise.all([
      db
        .selectFrom("runner")
        .innerJoin("machine", "machine.hash", "runner.machine_hash")
        .innerJoin("token", "token.id", "runner.token_id")
        .select(["runner.token_id", "runner.target", "runner.name", "runner.first_seen_at", "runner.seen_at"])
        .select(["machine.description as machine", "token.label"])
        .select(IS_THERE.as("isThere"))
        .select(
          sql<boolean>`token.revoked_at is not null or coalesce(token.expires_at < clock_timestamp(), false)`.as(
            "revoked",
          ),
        )
        .orderBy("runner.target")
        .orderBy("runner.name")
        .orderBy("runner.token_id")
        .execute(),
      db
        .selectFrom("run")
        .innerJoin("submission", "submission.id", "run.submission_id")
        .select(["run.id", "run.submission_id", "run.token_id", "run.target", "run.runner", "run.mode", "run.stage"])
        .select(["run.started_at", "run.created_at", "submission.problem"])
        .where("run.state", "=", "running")
        .orderBy("run.id")
        .execute(),
    ]),
  );
  return runners.map((runner) => {
    const own = runs.filter(
      (run) => run.token_id === runner.token_id && run.target === runner.target && run.runner === runner.name,
    );
    return {
      target: runner.target,
      name: runner.name,
      label: runner.label,
      hostname: runner.machine.hostname,
      model: machineName(runner.machine),
      testerVersion: runner.machine.testerVersion,
      sandbox: runner.machine.sandbox,
      firstSeenAt: runner.first_seen_at.toISOString(),
      lastSeenAt: runner.seen_at.toISOString(),
      state: own.length > 0 ? "working" : runner.isThere && !runner.revoked ? "waiting" : "gone",
      revoked: runner.revoked,
      runs: own.map((run) => ({
        runId: run.id,
        submissionId: run.submission_id,
        board: run.problem,
        mode: run.mode,
        stage: run.stage,
        startedAt: (run.started_at ?? run.created_at).toISOString(),
      })),
    };
  });
}

interface WaitingRow {
  id: number;
  submission_id: number;
  target: string;
  mode: Mode;
  rerun: number;
  attempt: number;
  created_at: Date;
  problem: string;
  account_id: string;
  name: string;
  position: number;
}

/** What waits, by target in the order of claiming. */
export async function listWaiting({ db }: Database, identity: Identity, limit: number): Promise<WaitingRun[]> {
  requireRole(identity, "administrator");
  const { rows } = await retrying(() =>
    sql<WaitingRow>`
      select run.id, run.submission_id, run.target, run.mode, run.rerun, run.attempt, run.created_at,
        submission.problem, account.id as account_id, account.name, waiting.place as position
      from (select distinct target from board) board cross join lateral queue_order(board.target) waiting
      join run on run.id = waiting.run_id
      join submission on submission.id = run.submission_id
      join account on account.id = run.account_id
      order by run.target, waiting.place limit ${limit}::integer`.execute(db),
  );
  return rows.map((row) => ({
    runId: row.id,
    submissionId: row.submission_id,
    account: { id: row.account_id, name: row.name },
    board: row.problem,
    target: row.target,
    mode: row.mode,
    rerun: row.rerun,
    attempt: row.attempt,
    position: row.position,
    waitsSince: row.created_at.toISOString(),
  }));
}
