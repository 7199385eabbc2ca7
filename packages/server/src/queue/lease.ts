import { createHash } from "node:crypto";
import { sql } from "kysely";
import { KernelBotError, languageOf, machineName, quote, type Claimed, type ClaimRequest } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { requireScope, type Identity } from "../db/identity.ts";
import { jsonText, storableText } from "../db/json.ts";
import { retrying } from "../db/retry.ts";
import { requeued } from "../runs/finish.ts";
import { LEASE_MS, type LeaseOptions } from "../runs/lease.ts";

/**
 * Gives the next run of a target to a runner, under a lease. One statement: the run, its event and the machine commit
 * together, and rows that another claim holds are stepped over. The commitment to the seed is stored before anybody has
 * the seed.
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
  const { rows } = await retrying(() =>
    sql<ClaimRow>`
      with picked as (
        select id, submission_id, attempt + 1 as attempt from run
        where state = 'queued' and target = ${request.target}
        order by tag, id limit 1 for update skip locked
      ), seeded as (
        select picked.*, run_seed(submission.problem, picked.id, picked.attempt) as seed
        from picked join submission on submission.id = picked.submission_id
      ), described as (
        insert into machine (hash, description)
        select decode(${machineHash}, 'hex'), ${machine}::text::json from picked on conflict do nothing
      ), claimed as (
        update run set state = 'running', attempt = seeded.attempt, reported = 0, stage = null, review = null, rival_failure = null,
          lease_until = clock_timestamp() + ${leaseMs}::integer * interval '1 millisecond',
          token_id = ${identity.tokenId}::bigint, runner = ${runner}, machine_hash = decode(${machineHash}, 'hex'),
          unsandboxed = ${request.machine.sandbox === "none"}::boolean, started_at = clock_timestamp(),
          seed_commitment = seed_commitment(seed, run.id, seeded.attempt)
        from seeded where run.id = seeded.id
        returning run.id, run.submission_id, run.attempt, run.mode, run.target, run.problem_version, seed
      ), numbered as (
        update submission set last_event = last_event + 1 from claimed where submission.id = claimed.submission_id
        returning submission.last_event, submission.code_hash, submission.account_id, submission.file_name,
          submission.rival_hash, submission.rival_name
      ), logged as (
        insert into event (submission_id, id, run_id, attempt, event)
        select submission_id, last_event, claimed.id, attempt, json_build_object('type', 'run_started',
          'target', target, 'runner', ${runner}::text, 'machine', ${storableText(machineName(request.machine))}::text)
        from claimed, numbered
      )
      select claimed.id, attempt, mode, target, problem_version, code.source, file_name, account_id,
        rival.source as rival_source, rival_name, encode(seed, 'hex') as seed, pg_notify('change', 'submission ' || submission_id)
      from claimed, numbered join code on code.hash = numbered.code_hash
        left join code rival on rival.hash = numbered.rival_hash
    `.execute(db),
  );
  const [row] = rows;
  if (row === undefined) return null;
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
}

/** @throws KernelBotError `forbidden` where the token may not work for the target. */
export function requireTarget(identity: Identity, target: string): void {
  requireScope(identity, "runner");
  if (identity.targets.includes(target)) return;
  throw new KernelBotError(
    "forbidden",
    `this token may claim for ${identity.targets.join(", ") || "no target"}, and not for ${quote(target)}`,
  );
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
