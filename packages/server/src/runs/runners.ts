/**
 * Who asks for work. A runner is what one token calls by one name on one target; it is there while it should be heard of
 * again, or holds a run.
 */
import { createHash } from "node:crypto";
import { sql, type RawBuilder, type Transaction } from "kysely";
import type { ClaimRequest } from "@kernelbot/core";
import { commitsSoon } from "../db/commit.ts";
import type { Database } from "../db/database.ts";
import type { Identity } from "../db/identity.ts";
import { jsonText, storableText } from "../db/json.ts";
import { retrying } from "../db/retry.ts";
import type { Tables } from "../db/tables.ts";

/** How long after it should have asked again a runner still counts as there, in milliseconds. */
const GRACE_MS = 30_000;

/** How long one that is gone is remembered, in days. */
const REMEMBER_DAYS = 7;

/** SQL: whether the runner of the row is there. */
export const IS_THERE: RawBuilder<boolean> = sql<boolean>`(runner.due_at > clock_timestamp() or exists (
  select from run where run.state = 'running' and run.token_id = runner.token_id and run.target = runner.target
    and run.runner = runner.name))`;

/** Notes that a runner asks for work; answers how to note that it has hung up. */
export async function noteRunner(
  { db }: Database,
  identity: Identity,
  request: ClaimRequest,
): Promise<() => Promise<void>> {
  const machine = jsonText(request.machine);
  const hash = createHash("sha256").update(machine).digest("hex");
  const name = storableText(request.runner);
  const { rows } = await retrying(() =>
    sql<{ seen: string }>`
      with described as (
        insert into machine (hash, description) values (decode(${hash}, 'hex'), ${machine}::text::json)
        on conflict do nothing
      )
      insert into runner (token_id, target, name, machine_hash, due_at)
      values (${identity.tokenId}::bigint, ${request.target}, ${name}, decode(${hash}, 'hex'),
        clock_timestamp() + ${request.waitMs + GRACE_MS}::integer * interval '1 millisecond')
      on conflict (token_id, target, name) do update
        set machine_hash = excluded.machine_hash, seen_at = clock_timestamp(), due_at = excluded.due_at
      returning seen_at::text as seen, ${commitsSoon(true)} as commits`.execute(db),
  );
  return async () => {
    // One that has asked again meanwhile, perhaps of another server, is there.
    await sql`update runner set due_at = clock_timestamp()
      where token_id = ${identity.tokenId}::bigint and target = ${request.target} and name = ${name}
        and seen_at = ${rows[0]?.seen}::text::timestamptz`.execute(db);
  };
}

/** Notes that a runner has brought the end of an attempt: it will ask for more. */
export async function noteEnd(transaction: Transaction<Tables>, runId: number): Promise<void> {
  await sql`update runner set seen_at = clock_timestamp(),
      due_at = clock_timestamp() + ${GRACE_MS}::integer * interval '1 millisecond'
    from run where run.id = ${runId}::bigint and runner.token_id = run.token_id and runner.target = run.target
      and runner.name = run.runner`.execute(transaction);
}

/** Notes that the lease of a run ran out: its runner was last heard of when it renewed that. */
export async function noteLoss(transaction: Transaction<Tables>, runId: number, leaseMs: number): Promise<void> {
  await sql`update runner
    set seen_at = greatest(seen_at, run.lease_until - ${leaseMs}::integer * interval '1 millisecond')
    from run where run.id = ${runId}::bigint and runner.token_id = run.token_id and runner.target = run.target
      and runner.name = run.runner`.execute(transaction);
}

/** Forgets runners that were not heard of for a week. */
export async function forgetRunners({ db }: Database): Promise<void> {
  await sql`delete from runner
    where seen_at < clock_timestamp() - ${REMEMBER_DAYS}::integer * interval '1 day' and not ${IS_THERE}`.execute(db);
}

/** Whether any runner of a token is there. */
export async function isRunnerThere({ db }: Database, tokenId: number): Promise<boolean> {
  const { rows } = await retrying(() =>
    sql<{ there: boolean }>`select exists (
      select from runner where runner.token_id = ${tokenId}::bigint and ${IS_THERE}) as there`.execute(db),
  );
  return rows[0]?.there === true;
}
