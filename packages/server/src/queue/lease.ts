import { sql, type RawBuilder } from "kysely";
import { KernelBotError, languageOf, machineName, type Claimed, type ClaimRequest } from "@kernelbot/core";
import { asyncCommit, commitDurably } from "../db/commit.ts";
import type { Database } from "../db/database.ts";
import type { Identity } from "../auth/identity.ts";
import { storableText } from "../db/json.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { recordMilestone } from "../observe/milestones.ts";
import { recordSpan } from "../observe/trace.ts";
import {
  joinQuery,
  machineRow,
  mayClaim,
  hardwareRefusal,
  requireTarget,
  joinRefusal,
  type JoinedRunner,
} from "../runners/join.ts";
import type { RunnerPolicy } from "../runners/policy.ts";
import { requeueRun } from "../runs/finish.ts";
import { LEASE_MS, type LeaseOptions } from "../runs/lease-duration.ts";

/**
 * Claims the next run of a target for a runner, under a lease. Uses `claim_run` (schema/functions/claim_run.sql); the
 * order is described in queue/order.ts.
 * @returns null if no run is queued.
 * @throws KernelBotError `forbidden` if the token may not claim runs of the target.
 */
export async function claimRun(
  database: Database,
  identity: Identity,
  request: ClaimRequest,
  { leaseMs = LEASE_MS }: LeaseOptions = {},
): Promise<Claimed | null> {
  requireTarget(identity, request.target);
  const startedAt = new Date();
  const [row] = await executeClaim(
    database,
    sql<ClaimRow>`select claimed.*, ${asyncCommit()} as commits from ${claimQuery(identity, request, leaseMs)} as claimed`,
  );
  return row === undefined ? null : toClaimed(row, request, leaseMs, startedAt);
}

/**
 * Records a runner's request for work and claims the next run, as `claim` does.
 * @throws KernelBotError `forbidden` if the runner's hardware does not match the target or the token's number of runner
 * names is exhausted; `too_many_requests` while another process of the same name is at work.
 */
export async function joinAndClaim(
  database: Database,
  identity: Identity,
  request: ClaimRequest,
  { leaseMs = LEASE_MS, policy }: LeaseOptions & { policy: RunnerPolicy },
): Promise<{ runner: JoinedRunner; claimed: Claimed | null }> {
  requireTarget(identity, request.target);
  const startedAt = new Date();
  const refusal = hardwareRefusal(request, policy);
  // Runs are claimed only for a runner that has joined.
  const next = claimQuery(identity, request, leaseMs, sql`joined.id is not null and ${refusal === null}::boolean`);
  const [row] = await executeClaim(
    database,
    sql<{ runner_id: number; seen: string } & (ClaimRow | { id: null })>`
      with ${joinQuery(identity, request, refusal)}
      select joined.id as runner_id, joined.seen, claimed.*, ${asyncCommit()} as commits
      from joined left join lateral ${next} as claimed on true`,
  );
  if (row === undefined) throw await joinRefusal(database, identity, request);
  if (refusal !== null) throw new KernelBotError("forbidden", refusal);
  const runner = { id: row.runner_id, seen: row.seen };
  return { runner, claimed: row.id === null ? null : toClaimed(row, request, leaseMs, startedAt) };
}

/** Executes a claim. A claimed run is flushed to disk before it is returned to the runner. */
async function executeClaim<Row extends { id: number | null }>(
  { db }: Database,
  statement: RawBuilder<Row>,
): Promise<readonly Row[]> {
  const { rows } = await commitDurably(
    db,
    (connection) => statement.execute(connection),
    (found) => found.rows.some(({ id }) => id !== null),
  );
  return rows;
}

/**
 * SQL subquery that claims a run and returns a `ClaimRow`, or no row.
 * @param may Further condition, an expression over the surrounding statement.
 */
function claimQuery(
  identity: Identity,
  request: ClaimRequest,
  leaseMs: number,
  may: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const { description, hash } = machineRow(request);
  const runner = storableText(request.runner);
  return sql`(
    select given.*, (select submission_id from run where run.id = given.id) as submission_id,
      (select traceparent from submission_trace as t join run using (submission_id) where run.id = given.id) as traceparent
    from (
        select ${request.target}::text as target where ${mayClaim(identity, request.target, runner)} and ${may} offset 0
      ) as may,
      lateral claim_run(may.target, ${identity.tokenId}::bigint, ${runner}, ${leaseMs}::integer, ${description}::text,
        decode(${hash}, 'hex'), ${storableText(machineName(request.machine))},
        ${request.machine.sandbox === "none"}::boolean) as given)`;
}

/** Converts a claimed row to the response for the runner, and records the claim in metrics and trace. */
function toClaimed(row: ClaimRow, request: ClaimRequest, leaseMs: number, startedAt: Date): Claimed {
  const { id: runId, submission_id: submissionId, attempt, target, mode } = row;
  recordMilestone({
    type: "claimed",
    runId,
    submissionId,
    attempt,
    target,
    mode,
    runner: storableText(request.runner),
  });
  const attributes = { "kernelbot.run": runId, "kernelbot.attempt": attempt, "kernelbot.target": target };
  const traceparent = recordSpan("claim", { parent: row.traceparent, attributes, startedAt });
  return {
    runId: row.id,
    attempt: row.attempt,
    leaseMs,
    mode: row.mode,
    target: row.target,
    problemVersion: row.problem_version,
    source: row.source,
    seed: row.seed,
    account: row.account_id,
    // Intake has checked that the problem accepts the language.
    language: languageOf(row.file_name) ?? "py",
    ...(traceparent !== null && { traceparent }),
    ...(row.rival_source !== null &&
      row.rival_name !== null && {
        rival: { source: row.rival_source, language: languageOf(row.rival_name) ?? "py" },
      }),
  };
}

interface ClaimRow {
  id: number;
  attempt: number;
  mode: Claimed["mode"];
  target: string;
  problem_version: string;
  file_name: string;
  source: string;
  rival_source: string | null;
  rival_name: string | null;
  seed: string;
  account_id: string;
  submission_id: number;
  traceparent: string | null;
}

/**
 * Returns a claimed run to the queue because the runner disconnected before it received the run. The attempt does not
 * count.
 */
export async function releaseRun({ db }: Database, { runId, attempt }: Claimed): Promise<void> {
  await runTransaction(idempotent(db), async (transaction) => {
    const run = await transaction
      .updateTable("run")
      .set({
        state: "queued",
        attempt: attempt - 1,
        lease_until: null,
        token_id: null,
        runner: null,
        started_at: null,
      })
      .where("id", "=", runId)
      .where("attempt", "=", attempt)
      .where("state", "=", "running")
      .returning(["id", "submission_id", "target", "attempt"])
      .executeTakeFirst();
    if (run !== undefined) await requeueRun(transaction, run, "the runner disconnected before it received the run");
  });
}

/** Returns whether a token leases a run of a problem version, whose files contain what the judge keeps secret. */
export async function leasesVersion({ db }: Database, { tokenId }: Identity, version: string): Promise<boolean> {
  const row = await db
    .selectFrom("run")
    .select("id")
    .where("state", "=", "running")
    .where("token_id", "=", tokenId)
    .where("problem_version", "=", version)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
