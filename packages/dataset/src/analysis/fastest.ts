import type { BoardRecord } from "@kernelbot/core";
import type { KernelField, KernelRow } from "../formats/kernel-row.ts";
import { byBoard, byTime, implausible, rankKey, RANKED_FIELDS, ranks, type Ranking } from "./board.ts";

export const FASTEST_FIELDS = [...RANKED_FIELDS, "userName"] as const satisfies readonly KernelField[];

/**
 * Returns the records of each board in order of time; the last is the best.
 *
 * A record is a row that ranks, before all that were submitted earlier: by a lower time, or by a higher value on
 * boards that do not rank by time.
 */
export function records(rows: readonly Pick<KernelRow, (typeof FASTEST_FIELDS)[number]>[]): Ranking<BoardRecord> {
  const results = byBoard(rows).flatMap(({ board, rows }) => {
    let record = Infinity;
    return rows
      .filter((row) => ranks(row))
      .toSorted(byTime)
      .flatMap((row) => {
        if (rankKey(row) >= record) return [];
        record = rankKey(row);
        const { submissionId, userName, submittedAt, scoreNs } = row;
        return [{ ...board, submissionId, userName, submittedAt, scoreNs }];
      });
  });
  return { results, implausible: implausible(rows) };
}
