/** The stored kernels of entries, and their states. */
import { sql } from "kysely";
import type { FailureClass, KernelKey, KernelState, RunState, Verdict } from "@kernelbot/core";
import type { Database } from "../db/database.ts";

/** Row of a kernel with the run that judges it; the fields of the run are null before it is submitted. */
export interface KernelRow extends KernelKey {
  entry_id: number;
  code_hash: string;
  submission_id: number | null;
  run_id: number | null;
  run_state: RunState | null;
  attempt: number | null;
  verdict: Verdict | null;
  failure_class: FailureClass | null;
  message: string | null;
  machine_hash: string | null;
  removed: boolean;
}

/** Returns the kernels of these entries, ordered by entry, level, problem and sample. */
export async function readKernels({ db }: Database, entryIds: readonly number[]): Promise<KernelRow[]> {
  const { rows } = await sql<KernelRow>`
      select k.entry_id, k.level, k.problem, k.sample, encode(k.code_hash, 'hex') as code_hash, k.submission_id,
        r.id as run_id, r.state as run_state, r.attempt, r.verdict, r.failure_class, r.message,
        encode(r.machine_hash, 'hex') as machine_hash, s.removed_at is not null as removed
      from kernelbench_kernel k
      left join submission s on s.id = k.submission_id
      left join run r on r.submission_id = k.submission_id and r.rerun = 0
      where k.entry_id = any(${[...entryIds]}::bigint[])
      order by k.entry_id, k.level, k.problem, k.sample`.execute(db);
  return rows;
}

/** Returns the state of a kernel. A cancelled run means `waiting`: the entry was stopped, and may be resumed. */
export function stateOf({ run_state, verdict }: Pick<KernelRow, "run_state" | "verdict">): KernelState {
  if (run_state === null || run_state === "cancelled") return "waiting";
  if (run_state !== "done") return run_state;
  return verdict === "infra_error" ? "lost" : "done";
}

/** Returns a number per entry that changes whenever the state or the verdict of one of its kernels changes. */
export async function readChangeNumbers({ db }: Database, entryIds: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ entry_id: number; change_number: number }>`
      select k.entry_id, mod(abs(sum(hashtextextended(concat_ws('/', k.level, k.problem, k.sample,
          coalesce(k.submission_id, 0), r.state, r.attempt, r.verdict, s.removed_at is null), 0))), 1000000000)::bigint as change_number
      from kernelbench_kernel k
      left join submission s on s.id = k.submission_id
      left join run r on r.submission_id = k.submission_id and r.rerun = 0
      where k.entry_id = any(${[...entryIds]}::bigint[])
      group by k.entry_id`.execute(db);
  return new Map(rows.map(({ entry_id, change_number }) => [entry_id, change_number]));
}
