/** Converts the columns `ranked_by`, `ranked_value`, `ranked_low` and `ranked_high` of runs and board entries. */
import type { BestRankedBy, RankedBy, RunScore } from "@kernelbot/core";

export interface RankedColumns {
  ranked_by: RankedBy["ranking"] | null;
  ranked_value: number | null;
  ranked_low: number | null;
  ranked_high: number | null;
}

/** Returns the stored value that ranks, for objects in which it is absent if the board ranks by time. */
export function rankedByOfRow(row: RankedColumns): Pick<RunScore, "rankedBy"> {
  const { ranked_by: ranking, ranked_value: value, ranked_low: low, ranked_high: high } = row;
  return ranking === null || value === null || low === null || high === null
    ? {}
    : { rankedBy: { ranking, value, low, high } };
}

/** Returns the stored value that ranks, without its interval, under this name; nothing if the board ranks by time. */
export function withBest<Name extends string>(
  name: Name,
  { ranked_by: ranking, ranked_value: value }: Pick<RankedColumns, "ranked_by" | "ranked_value">,
): { [Key in Name]?: BestRankedBy } {
  return ranking === null || value === null ? {} : ({ [name]: { ranking, value } } as { [Key in Name]?: BestRankedBy });
}
