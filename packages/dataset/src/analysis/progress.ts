import type { BestRankedBy, ProgressStep } from "@kernelbot/core";
import { DatasetError } from "../error.ts";
import type { KernelField, KernelRow } from "../formats/kernel-row.ts";
import { RANKED_FIELDS, byBoard, byTime, implausible, ranks, type Ranking } from "./board.ts";

export const PROGRESS_FIELDS = [...RANKED_FIELDS, "userId", "userName"] as const satisfies readonly KernelField[];

type ProgressRow = Pick<KernelRow, (typeof PROGRESS_FIELDS)[number]>;

/**
 * Returns the submissions of one author by board in order of time, each with the author's best so far.
 *
 * The author is the user with that id, else the user with that name. An implausible time stays in its row, but is never
 * a best.
 * @throws DatasetError when several accounts have the name.
 */
export function progression(rows: readonly ProgressRow[], user: string): Ranking<ProgressStep> {
  const own = rowsOfUser(rows, user);
  const results = byBoard(own).flatMap(({ board, rows }) => {
    let bestNs: number | null = null;
    let bestRankedBy: BestRankedBy | null = null;
    return rows.toSorted(byTime).map((row) => {
      const { submissionId, submittedAt, mode, passed, scoreNs, rankedBy } = row;
      if (ranks(row)) {
        bestNs = Math.min(bestNs ?? Infinity, row.scoreNs);
        if (rankedBy !== null && rankedBy.value > (bestRankedBy?.value ?? -1)) bestRankedBy = rankedBy;
      }
      return { ...board, submissionId, submittedAt, mode, passed, scoreNs, bestNs, rankedBy, bestRankedBy };
    });
  });
  return { results, implausible: implausible(own) };
}

function rowsOfUser(rows: readonly ProgressRow[], user: string): ProgressRow[] {
  const byId = rows.filter(({ userId }) => userId === user);
  if (byId.length > 0) return byId;
  const byName = rows.filter(({ userName }) => userName === user);
  const ids = [...new Set(byName.map(({ userId }) => userId))];
  if (ids.length > 1) {
    throw new DatasetError(
      `${ids.length} accounts have the name ${user}; say which by its id: ${ids.slice(0, 20).join(", ")}`,
    );
  }
  return byName;
}
