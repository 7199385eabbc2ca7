import type { BoardRecord } from "@kernelbot/core";
import type { KernelField, KernelRow } from "../reader/kernel-row.ts";
import { byBoard, byTime, implausible, RANKED_FIELDS, ranks, type Ranking } from "./board.ts";

export const FASTEST_FIELDS = [...RANKED_FIELDS, "userName"] as const satisfies readonly KernelField[];

/**
 * Returns the records of each board in order of time; the last is the fastest.
 *
 * A record is a ranked run that passed with a plausible time that is lower than all times submitted before it.
 */
export function records(rows: readonly Pick<KernelRow, (typeof FASTEST_FIELDS)[number]>[]): Ranking<BoardRecord> {
  const results = byBoard(rows).flatMap(({ board, rows }) => {
    let fastestNs = Infinity;
    return rows
      .filter((row) => ranks(row))
      .toSorted(byTime)
      .flatMap(({ submissionId, userName, submittedAt, scoreNs }) => {
        if (scoreNs >= fastestNs) return [];
        fastestNs = scoreNs;
        return [{ ...board, submissionId, userName, submittedAt, scoreNs }];
      });
  });
  return { results, implausible: implausible(rows) };
}
