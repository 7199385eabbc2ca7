import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import { IS_ONLINE } from "../runners/presence.ts";

/**
 * Returns a number that changes whenever a run of a submission is queued, claimed, requeued or ended, or a runner comes online, goes
 * offline or changes its status. It is a hash over the open runs and online runners, so that no counter has to be
 * updated with each run.
 */
export async function readQueueChangeNumber({ db }: Database): Promise<number> {
  const { rows } = await sql<{ change_number: number }>`
      select mod(abs(coalesce(sum(part), 0)), 1000000000)::bigint as change_number from (
        select hashtextextended(id || '/' || attempt, 0) as part from run where state = 'queued' and priority = 0
        union all
        select hashtextextended(id || '/' || attempt, 1) from run where state = 'running'
        union all
        select hashtextextended(token_id || '/' || target || '/' || name || '/' || admin_state, 2) from runner where ${IS_ONLINE}
      ) parts`.execute(db);
  return (rows[0] as { change_number: number }).change_number;
}
