/** The progress of an entry's evaluation. */
import {
  KERNEL_STATES,
  type KernelBenchEntryProgress,
  type KernelState,
  type RunState,
  type Verdict,
} from "@kernelbot/core";
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { stateOf } from "./kernels.ts";

/**
 * Returns how many kernels are in each state, and whether the evaluation is finished. Kernels that ended as
 * `infra_error` for the first time count as unfinished, because they are resubmitted. An entry that does not exist is
 * finished.
 */
export async function readProgress({ db }: Database, entryId: number): Promise<KernelBenchEntryProgress> {
  const { rows } = await sql<{
    run_state: RunState | null;
    verdict: Verdict | null;
    retried: boolean;
    stopped: boolean;
    count: number;
  }>`
      select r.state as run_state, r.verdict, k.retried, e.stopped_at is not null as stopped, count(*)::integer as count
      from kernelbench_kernel k
      join kernelbench_entry e on e.id = k.entry_id
      left join run r on r.submission_id = k.submission_id and r.rerun = 0
      where k.entry_id = ${entryId}
      group by 1, 2, 3, 4`.execute(db);
  const progress = Object.fromEntries(KERNEL_STATES.map((state) => [state, 0])) as Record<KernelState, number>;
  for (const row of rows) progress[stateOf(row)] += row.count;
  const isLive = rows.some((row) => {
    const state = stateOf(row);
    if (state === "queued" || state === "running") return true;
    return !row.stopped && (state === "waiting" || (state === "lost" && !row.retried));
  });
  return { progress, finished: !isLive };
}
