import type { FailureCount } from "@kernelbot/core";
import type { KernelField, KernelRow } from "../rows.ts";
import { byBoard, compareText } from "./board.ts";

export const FAILURE_FIELDS = [
  "problem",
  "target",
  "mode",
  "passed",
  "failureClass",
] as const satisfies readonly KernelField[];

/**
 * How runs fail, by board and mode, the most frequent class first.
 *
 * The rule: runs that were judged count, which are those of which the data says whether they passed; a class is a share
 * of them. A run that failed is `unknown` where the data does not say why.
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
