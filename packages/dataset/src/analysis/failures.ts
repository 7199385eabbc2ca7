import type { FailureCount } from "@kernelbot/core";
import type { KernelField, KernelRow } from "../formats/kernel-row.ts";
import { compareText } from "@kernelbot/core";
import { byBoard } from "./board.ts";

export const FAILURE_FIELDS = [
  "problem",
  "target",
  "mode",
  "passed",
  "failureClass",
] as const satisfies readonly KernelField[];

/**
 * Counts failures by board and mode, most frequent class first.
 *
 * Only judged runs count, for which the data has whether they passed; shares are relative to them. A failed run is
 * `unknown` when the data has no failure class.
 */
export function failures(rows: readonly Pick<KernelRow, (typeof FAILURE_FIELDS)[number]>[]): FailureCount[] {
  const judged = rows.filter(({ passed }) => passed !== null);
  return byBoard(judged).flatMap(({ board, rows }) =>
    [...Map.groupBy(rows, ({ mode }) => mode)]
      .toSorted(([one], [other]) => compareText(one, other))
      .flatMap(([mode, runs]) => {
        const failed = runs.filter(({ passed }) => passed === false);
        return [...Map.groupBy(failed, ({ failureClass }) => failureClass ?? "unknown")]
          .toSorted(([one, ofOne], [other, ofOther]) => ofOther.length - ofOne.length || compareText(one, other))
          .map(([failureClass, { length }]) => ({
            ...board,
            mode,
            failureClass,
            runs: length,
            share: length / runs.length,
          }));
      }),
  );
}
