import { createHash } from "node:crypto";
import { sql } from "kysely";
import { languageOf, machineName, type Claimed, type ClaimRequest } from "@kernelbot/core";
import { commitsSoon, onDisk } from "../db/commit.ts";
import type { Database } from "../db/database.ts";
import type { Identity } from "../db/identity.ts";
import { jsonText, storableText } from "../db/json.ts";
import { retrying } from "../db/retry.ts";
import { reached } from "../observe/milestones.ts";
import { noted } from "../observe/trace.ts";
import { mayClaim, requireTarget } from "../runners/join.ts";
import { requeued } from "../runs/finish.ts";
import { LEASE_MS, type LeaseOptions } from "../runs/lease.ts";

/**
 * Gives the next run of a target to a runner, under a lease: by `claim_run` of 0032_fair_share.sql, in the order of order.ts.
 * @returns null where nothing waits.
 * @throws KernelBotError `forbidden` where the token may not claim for the target.
 */
export async function claim(
  { db }: Database,
  identity: Identity,
  request: ClaimRequest,
  { leaseMs = LEASE_MS }: LeaseOptions = {},
): Promise<Claimed | null> {
  requireTarget(identity, request.target);
  const machine = jsonText(request.machine);
  const machineHash = createHash("sha256").update(machine).digest("hex");
  const runner = storableText(request.runner);
  const startedAt = new Date();
  const taken = sql<ClaimRow>`
    select claimed.*, (select submission_id from run where run.id = claimed.id) as submission_id,
      (select traceparent from submission_trace as t join run using (submission_id) where run.id = claimed.id) as traceparent,
      ${commitsSoon()} as commits
    from (select ${request.target}::text as target where ${mayClaim(identity, request.target, runner)} offset 0) as may,
      lateral claim_run(may.target, ${identity.tokenId}::bigint, ${runner}, ${leaseMs}::integer, ${machine}::text,
        decode(${machineHash}, 'hex'), ${storableText(machineName(request.machine))},
        ${request.machine.sandbox === "none"}::boolean) as claimed`;
  const { rows } = await retrying(() =>
    onDisk(
      db,
      (connection) => taken.execute(connection),
      (claimed) => claimed.rows.length > 0,
    ),
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { id: runId, submission_id: submissionId, attempt, target, mode } = row;
  reached({ type: "claimed", runId, submissionId, attempt, target, mode, runner });
  const attributes = { "kernelbot.run": runId, "kernelbot.attempt": attempt, "kernelbot.target": target };
  const traceparent = noted("claim", { parent: row.traceparent, attributes, startedAt });
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
    // Intake has seen that the problem takes it.
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

/** Puts back a run whose claim was never told to the runner: it hung up. The attempt does not count. */
export async function unclaim({ db }: Database, { runId, attempt }: Claimed): Promise<void> {
  await retrying(() =>
    db.transaction().execute(async (transaction) => {
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
      if (run !== undefined) await requeued(transaction, run, "the runner hung up before it had the run");
    }),
  );
}
