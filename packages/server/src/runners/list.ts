/** Runners and their join tokens, for administrators. */
import { sql } from "kysely";
import {
  KernelBotError,
  machineName,
  byTarget,
  compareTargets,
  type CanaryResult,
  type JoinToken,
  type RunnerDetail,
  type RunnerStatus,
} from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireRole, type Identity } from "../auth/identity.ts";
import { IS_ONLINE } from "./presence.ts";
import type { RunnerPolicy } from "./policy.ts";

/** Canaries returned for one runner: about four days at one per hour. */
const CANARIES = 100;

type Bounds = Pick<RunnerPolicy, "boundOf">;

/**
 * Lists the runners by target and name: those seen in the last week, the latest of each target, and paused or
 * draining ones.
 */
export async function listRunners(database: Database, identity: Identity, policy: Bounds): Promise<RunnerStatus[]> {
  requireRole(identity, "administrator");
  const rows = await readRunners(database);
  return rows.map((row) => statusOf(row, policy));
}

/**
 * Returns a runner with its machine and its canaries.
 * @throws KernelBotError `not_found`.
 */
export async function readRunner(
  database: Database,
  identity: Identity,
  id: number,
  policy: Bounds,
): Promise<RunnerDetail> {
  requireRole(identity, "administrator");
  const [[row], canaries] = await Promise.all([readRunners(database, id), readCanaries(database, id)]);
  if (row === undefined) {
    throw new KernelBotError("not_found", `runner ${id} not found; see kernelbot runners`);
  }
  return { ...statusOf(row, policy), machine: row.machine, canaries };
}

type Row = Awaited<ReturnType<typeof readRunners>>[number];

async function readRunners({ db }: Database, id?: number) {
  const [runners, runs] = await Promise.all([
    db
      .selectFrom("runner")
      .innerJoin("machine", "machine.hash", "runner.machine_hash")
      .innerJoin("token", "token.id", "runner.token_id")
      .leftJoin("account", "account.id", "runner.admin_state_by")
      .leftJoinLateral(
        (lateral) =>
          lateral
            .selectFrom("canary")
            .select(["canary.at", "canary.times_ns", "canary.failure"])
            .whereRef("canary.runner_id", "=", "runner.id")
            .orderBy("canary.at", "desc")
            .limit(1)
            .as("latest"),
        (join) => join.onTrue(),
      )
      .selectAll("runner")
      .select(["machine.description as machine", "token.label"])
      .select(["account.id as by_id", "account.name as by_name"])
      .select(["latest.at as canary_at", "latest.times_ns as canary_ns", "latest.failure as canary_failure"])
      .select(IS_ONLINE.as("isOnline"))
      .select(
        sql<boolean>`token.revoked_at is not null or coalesce(token.expires_at < clock_timestamp(), false)`.as(
          "revoked",
        ),
      )
      .$if(id !== undefined, (query) => query.where("runner.id", "=", id as number))
      .orderBy("runner.name")
      .orderBy("runner.token_id")
      .execute(),
    db
      .selectFrom("run")
      .innerJoin("submission", "submission.id", "run.submission_id")
      .select(["run.id", "run.submission_id", "run.token_id", "run.target", "run.runner", "run.mode", "run.stage"])
      .select(["run.started_at", "run.created_at"])
      .select(sql<string>`problem_reference(submission.problem, submission.problem_version)`.as("problem"))
      .where("run.state", "=", "running")
      .orderBy("run.id")
      .execute(),
  ]);
  return runners.toSorted(byTarget).map((runner) => ({
    ...runner,
    runs: runs.filter(
      (run) => run.token_id === runner.token_id && run.target === runner.target && run.runner === runner.name,
    ),
  }));
}

function statusOf(row: Row, { boundOf }: Bounds): RunnerStatus {
  const { machine, runs } = row;
  return {
    id: row.id,
    target: row.target,
    name: row.name,
    tokenId: row.token_id,
    label: row.label,
    hostname: machine.hostname,
    model: machineName(machine),
    testerVersion: machine.testerVersion,
    sandbox: machine.sandbox,
    firstSeenAt: row.first_seen_at.toISOString(),
    lastSeenAt: row.seen_at.toISOString(),
    state: runs.length > 0 ? "working" : row.isOnline && !row.revoked ? "waiting" : "gone",
    load: row.load,
    revoked: row.revoked,
    refused: row.refused,
    adminState: row.admin_state,
    reason: row.reason,
    adminStateBy: row.by_id === null || row.by_name === null ? null : { id: row.by_id, name: row.by_name },
    adminStateAt: row.admin_state_at.toISOString(),
    attempts: {
      ended: row.ended,
      failed: row.failed,
      infraErrors: row.infra_errors,
      infraErrorsInRow: row.errors_in_row,
      lastError:
        row.last_error_at === null ? null : { at: row.last_error_at.toISOString(), message: row.last_error ?? "" },
    },
    canary: {
      at: row.canary_at?.toISOString() ?? null,
      timesNs: row.canary_ns,
      failure: row.canary_failure,
      baselineNs: row.baseline_ns,
      drift: row.drift,
      bound: boundOf(row.target),
    },
    runs: runs.map((run) => ({
      runId: run.id,
      submissionId: run.submission_id,
      board: run.problem,
      mode: run.mode,
      stage: run.stage,
      startedAt: (run.started_at ?? run.created_at).toISOString(),
    })),
  };
}

async function readCanaries({ db }: Database, runnerId: number): Promise<CanaryResult[]> {
  const rows = await db
    .selectFrom("canary")
    .select(["at", "times_ns", "failure"])
    .where("runner_id", "=", runnerId)
    .orderBy("at", "desc")
    .limit(CANARIES)
    .execute();
  return rows.map(({ at, times_ns, failure }) => ({ at: at.toISOString(), timesNs: times_ns, failure })).toReversed();
}

/** Lists the valid join tokens of all accounts, the newest first. Revoked and expired tokens are left out. */
export async function listJoinTokens({ db }: Database, identity: Identity): Promise<JoinToken[]> {
  requireRole(identity, "administrator");
  const rows = await db
    .selectFrom("token")
    .innerJoin("account", "account.id", "token.account_id")
    .select(["token.id", "token.label", "token.targets", "token.runners", "token.created_at", "token.expires_at"])
    .select(["token.last_used_at", "account.id as account_id", "account.name"])
    .select(
      sql<number>`(select count(distinct name) from runner where runner.token_id = token.id)::integer`.as("joined"),
    )
    .where(sql<boolean>`'runner' = any(token.scopes)`)
    .where("token.revoked_at", "is", null)
    .where(sql<boolean>`coalesce(token.expires_at > clock_timestamp(), true)`)
    .orderBy("token.id", "desc")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    label: row.label,
    account: { id: row.account_id, name: row.name },
    targets: row.targets.toSorted(compareTargets),
    runners: row.runners,
    joined: row.joined,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }));
}
