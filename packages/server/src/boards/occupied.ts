/** Reads which speedups the entries of a board have, so that the judge knows when a run is far from all of them. */
import type { Claimed, OccupiedInterval } from "@kernelbot/core";
import type { Database } from "../db/database.ts";

/** Number of the board's fastest entries that are read. */
const ENTRIES = 1000;

/**
 * Returns the intervals of the speedups of all other accounts' entries on the board of a ranked run, in ascending order
 * and merged where they overlap. Empty if the board has no entries of other accounts.
 */
export async function listOccupiedIntervals({ db }: Database, run: Claimed): Promise<OccupiedInterval[]> {
  const rows = await db
    .selectFrom("board_entry as e")
    .innerJoin("submission", "submission.problem", "e.problem")
    .innerJoin("run", "run.submission_id", "submission.id")
    .select(["e.speedup_low", "e.speedup_high"])
    .where("run.id", "=", run.runId)
    .where("e.target", "=", run.target)
    .where("e.account_id", "!=", run.account)
    .orderBy("e.time_ns")
    .limit(ENTRIES)
    .execute();
  const intervals = rows.flatMap(({ speedup_low: low, speedup_high: high }) =>
    low === null || high === null ? [] : [{ low, high }],
  );
  return merged(intervals);
}

function merged(intervals: readonly OccupiedInterval[]): OccupiedInterval[] {
  const result: OccupiedInterval[] = [];
  for (const { low, high } of intervals.toSorted((a, b) => a.low - b.low)) {
    const last = result.at(-1);
    if (last !== undefined && low <= last.high) last.high = Math.max(last.high, high);
    else result.push({ low, high });
  }
  return result;
}
