import { rank, type Contestant } from "@kernelbot/core";
import type { KernelField, KernelRow } from "../rows.ts";
import { entriesOf, byBoard, implausible, type Ranking } from "./board.ts";

export const TOP_FIELDS = [
  "problem",
  "target",
  "userId",
  "userName",
  "submissionId",
  "submittedAt",
  "mode",
  "passed",
  "scoreNs",
  "place",
  "speedup",
] as const satisfies readonly KernelField[];

/**
 * The contestants of each board, the fastest first.
 *
 * The rule: entries and ranks are those of the final board where the data has them; entries that the measurement does
 * not tell apart share one. Elsewhere a user's best is the least plausible time of their ranked runs that passed, and
 * equal times share a rank. `submissions` counts all of the user on that board, those that failed or were tests included.
 */
export function topContestants(
  rows: readonly Pick<KernelRow, (typeof TOP_FIELDS)[number]>[],
  limit = Infinity,
): Ranking<Contestant> {
  const results = byBoard(rows).flatMap(({ board, rows }) => {
    const submissions = Map.groupBy(rows, ({ userId }) => userId);
    const entries = entriesOf(rows);
    const places = placesOf(entries);
    return entries.slice(0, limit).map((row, at) => ({
      ...board,
      place: places[at] ?? 0,
      userId: row.userId,
      userName: row.userName,
      submissionId: row.submissionId,
      scoreNs: row.scoreNs,
      speedup: row.speedup,
      submissions: new Set(submissions.get(row.userId)?.map(({ submissionId }) => submissionId)).size,
      submittedAt: row.submittedAt,
    }));
  });
  return { results, implausible: implausible(rows) };
}

/** As the final board says, or by its rule where the data has no ranks: equal times share one, as in 1, 2, 2, 4. */
function placesOf(entries: readonly { place: number | null | undefined; scoreNs: number }[]): number[] {
  const ranked = rank(entries.map(({ scoreNs }) => ({ timeNs: { value: scoreNs, low: scoreNs, high: scoreNs } })));
  return ranked.map((computed, at) => entries[at]?.place ?? computed.rank);
}
