/** Ranks on the final boards, computed by the shared ranking function. */
import { rankEntries } from "@kernelbot/core";
import type { Client } from "../db/client.ts";
import { rankedByOfRow, type RankedColumns } from "../db/ranked-columns.ts";

interface Entry extends RankedColumns {
  noisy: boolean;
  problem: string;
  target: string;
  run_id: number;
  time_ns: number;
  time_low_ns: number;
  time_high_ns: number;
}

/** Returns the rank of each run on the boards of a competition, by run id. */
export async function finalRanks(client: Client, competition: string): Promise<Map<number, number>> {
  const rows = await client.query(
    `select e.problem, e.target, e.run_id, e.time_ns, e.time_low_ns, e.time_high_ns,
      e.ranked_by, e.ranked_value, e.ranked_low, e.ranked_high, e.noisy
    from board_entry e join problem p on p.name = e.problem
    where p.competition = $1 order by e.problem, e.target, e.rank_key, e.entry_run_id`,
    [competition],
  );
  const boards = Map.groupBy(Array.from(rows as unknown as Entry[]), ({ problem, target }) => `${problem} ${target}`);
  const places = new Map<number, number>();
  for (const entries of boards.values()) {
    const ranked = rankEntries(
      entries.map((entry) => ({
        runId: entry.run_id,
        timeNs: { value: entry.time_ns, low: entry.time_low_ns, high: entry.time_high_ns },
        ...rankedByOfRow(entry),
        ...(entry.noisy && { noisy: true as const }),
      })),
    );
    for (const { runId, rank } of ranked) places.set(runId, rank);
  }
  return places;
}
