/** Reads which speedups the entries of a board have, so that the judge knows when a run is far from all of them. */
import { sql } from "kysely";
import type { Claimed, OccupiedInterval } from "@kernelbot/core";
import type { Database } from "../db/database.ts";

/** Number of the board's fastest entries that are read, since a runner waits for the result. */
const ENTRIES = 200;
/** Lower end of the interval of all slower entries. */
const LEAST_SPEEDUP = 1e-9;

/**
 * Returns the intervals of the speedups of all other accounts' entries on the board of a ranked run, in ascending order
 * and merged where they overlap. On a board with more than 200 entries, all speedups below those of the fastest 200
 * count as occupied. Empty if the board has no entries of other accounts, while a freeze hides entries, and on boards that
 * rank by efficiency, where the speedup does not decide the rank.
 */
export async function listOccupiedIntervals({ db }: Database, run: Claimed): Promise<OccupiedInterval[]> {
  const { rows } = await sql<OccupiedInterval & { entries: number }>`
    with entry as (
      select k.speedup_low as low, k.speedup_high as high
      from run r join submission s on s.id = r.submission_id
      join problem_window w on w.problem = s.problem and not w.frozen
      join board b on b.problem = s.problem and b.target = r.target
      join ranking k on k.problem = b.problem and k.target = b.target and k.revision = b.revision and k.is_best
      where r.id = ${run.runId}::bigint and k.account_id <> ${run.account} and k.speedup_low is not null
        and k.efficiency is null
      order by k.rank_key limit ${ENTRIES}
    ), start as (
      select *, low > max(high) over (order by low, high rows between unbounded preceding and 1 preceding) as is_apart
      from entry
    ), grouped as (
      select *, count(*) filter (where is_apart) over (order by low, high) as number from start
    )
    select min(low) as low, max(high) as high, count(*)::integer as entries from grouped group by number order by low`.execute(
    db,
  );
  const isCut = rows.reduce((sum, { entries }) => sum + entries, 0) === ENTRIES;
  return rows.map(({ low, high }, at) => ({ low: isCut && at === 0 ? LEAST_SPEEDUP : low, high }));
}
