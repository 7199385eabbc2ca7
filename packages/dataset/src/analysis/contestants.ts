import { rankEntries, type Contestant } from "@kernelbot/core";
import type { KernelField, KernelRow } from "../formats/kernel-row.ts";
import { RANKED_FIELDS, entriesOf, byBoard, implausible, type Ranking } from "./board.ts";

export const TOP_FIELDS = [
  ...RANKED_FIELDS,
  "userId",
  "userName",
  "place",
  "speedup",
] as const satisfies readonly KernelField[];

/**
 * Ranks the users of each board, best first.
 *
 * Entries and ranks are those of the final board when the data has them; entries that cannot be distinguished
 * statistically share a rank. Otherwise a user's best is the best of their rows that rank (`ranks`), and equals share a rank. `submissions` counts all of the user's submissions on that board, including failed ones
 * and tests.
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
      rankedBy: row.rankedBy,
      submissions: new Set(submissions.get(row.userId)?.map(({ submissionId }) => submissionId)).size,
      submittedAt: row.submittedAt,
    }));
  });
  return { results, implausible: implausible(rows) };
}

/**
 * Returns the ranks of the final board, or computes them by its rule if the data has none: equal times share a rank, as
 * in 1, 2, 2, 4.
 */
function placesOf(entries: readonly { place: number | null | undefined; scoreNs: number }[]): number[] {
  const ranked = rankEntries(
    entries.map(({ scoreNs }) => ({ timeNs: { value: scoreNs, low: scoreNs, high: scoreNs } })),
  );
  return ranked.map((computed, at) => entries[at]?.place ?? computed.rank);
}
