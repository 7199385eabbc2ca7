import { geometricMean, median, type SpeedupSummary } from "@kernelbot/core";
import type { KernelField, KernelRow } from "../formats/kernel-row.ts";
import { RANKED_FIELDS, entriesOf, byBoard, implausible, type Ranking } from "./board.ts";

export const SPEEDUP_FIELDS = [
  ...RANKED_FIELDS,
  "userId",
  "place",
  "speedup",
] as const satisfies readonly KernelField[];

/**
 * Summarises the speedup over the reference on each board.
 *
 * Each user's entry counts (`entriesOf`), with the speedup measured in the same session. Boards without reference times
 * are omitted.
 */
export function speedups(rows: readonly Pick<KernelRow, (typeof SPEEDUP_FIELDS)[number]>[]): Ranking<SpeedupSummary> {
  const results = byBoard(rows).flatMap(({ board, rows }) => {
    const values = entriesOf(rows).flatMap(({ speedup }) => (speedup !== null && speedup > 0 ? [speedup] : []));
    if (values.length === 0) return [];
    return [
      {
        ...board,
        users: values.length,
        best: values.reduce((best, value) => Math.max(best, value)),
        median: median(values),
        geometricMean: geometricMean(values),
        shareFaster: values.filter((value) => value >= 1).length / values.length,
      },
    ];
  });
  return { results, implausible: implausible(rows) };
}
