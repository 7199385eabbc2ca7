/** Finds earlier evaluations of the same code, whose result another evaluation may share. */
import { sql, type Transaction } from "kysely";
import { jsonText } from "../db/json.ts";
import type { Tables } from "../db/tables.ts";

/** What must be equal for two evaluations of an account to have the same result. */
export interface ResultKey {
  /** SHA-256 of the source in hexadecimal; its file name holds its language. */
  hash: string;
  fileName: string;
  problem: string;
  version: string;
  target: string;
  mode: string;
  /** A queued run is shared only if it is claimed at least as early. */
  priority: number;
}

/**
 * Returns the submission whose run an evaluation may share, by the index of its key: the latest that is running, queued
 * or ended with a result of the code itself by the tester that the target's runners have now. The runs are locked, so
 * that none ends before the transaction does.
 */
export async function findShared(
  transaction: Transaction<Tables>,
  accountId: string,
  keys: readonly ResultKey[],
): Promise<Map<number, number>> {
  const { rows } = await sql<{ key: number; submission_id: number; run_id: number; is_open: boolean }>`
    select distinct on (k.ordinality) k.ordinality::integer - 1 as key, s.id as submission_id, r.id as run_id,
      r.state in ('queued', 'running') as is_open
    from json_array_elements(${jsonText(keys)}::text::json) with ordinality as k
    cross join lateral json_to_record(k.value) as w (hash text, "fileName" text, problem text, version text, target text,
      mode text, priority smallint)
    join submission s on s.code_hash = decode(w.hash, 'hex') and s.account_id = ${accountId} and s.is_evaluation
      and s.problem_version = w.version and problem_reference(s.problem, s.problem_version) = w.problem and s.mode = w.mode and s.file_name = w."fileName"
      -- Not the submissions by which the server runs the application: cancelling an evaluation cancels its run.
      and exists (select from evaluation e where e.submission_id = s.id)
    join run r on r.submission_id = s.id and r.target = w.target
    left join machine m on m.hash = r.machine_hash
    where case r.state when 'running' then true when 'queued' then r.priority <= w.priority
      else r.verdict in ('passed', 'failed') and not r.noisy and m.description ->> 'testerVersion' = coalesce((
        select now.description ->> 'testerVersion' from runner join machine now on now.hash = runner.machine_hash
        where runner.target = w.target order by runner.seen_at desc limit 1), m.description ->> 'testerVersion') end
    order by k.ordinality, s.id desc`.execute(transaction);
  const open = await lockOpenRuns(
    transaction,
    rows.filter((row) => row.is_open).map((row) => row.run_id),
  );
  return new Map(rows.filter((row) => !row.is_open || open.has(row.run_id)).map((row) => [row.key, row.submission_id]));
}

/** Locks runs, in the order in which claims lock them, and returns those that can still give a result. */
async function lockOpenRuns(transaction: Transaction<Tables>, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  await sql`
    select from fair_share where (target, priority, account_id) in
      (select target, priority, account_id from run where id = any(${[...ids]}::bigint[]))
    order by target, priority for update`.execute(transaction);
  const rows = await transaction
    .selectFrom("run")
    .select(["id", "state", "verdict", "noisy"])
    .where("id", "in", [...ids])
    .orderBy("id")
    .forShare()
    .execute();
  const isUsable = ({ state, verdict, noisy }: (typeof rows)[number]) =>
    state !== "cancelled" && verdict !== "infra_error" && verdict !== "quarantined" && !noisy;
  return new Set(rows.filter(isUsable).map(({ id }) => id));
}
