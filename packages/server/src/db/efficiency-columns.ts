/** Converts the columns `efficiency`, `efficiency_low` and `efficiency_high` of runs and board entries. */
import type { Score } from "@kernelbot/core";

export interface EfficiencyColumns {
  efficiency: number | null;
  efficiency_low: number | null;
  efficiency_high: number | null;
}

/** Returns the stored efficiency, for objects in which it is absent if the board ranks by time. */
export function efficiencyOfRow(row: EfficiencyColumns): Pick<Score, "efficiency"> {
  const { efficiency: value, efficiency_low: low, efficiency_high: high } = row;
  return value === null || low === null || high === null ? {} : { efficiency: { value, low, high } };
}
