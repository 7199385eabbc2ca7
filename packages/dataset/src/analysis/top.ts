import type { Contestant } from "@kernelbot/core";
import type { KernelField, KernelRow } from "../rows.ts";
import { bestOfUsers, byBoard, implausible, type Ranking } from "./board.ts";

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
  "speedup",
] as const satisfies readonly KernelField[];

/**
 * The contestants of each board, the fastest first.
 *
 * The rule: a user's best is the least plausible time of their ranked runs that passed; equal times share a place, and
 * the earlier stands first. `submissions` counts all of the user on that board, those that failed or were tests included.
 */
export function topContestants(
  rows: readonly Pick<KernelRow, (typeof TOP_FIELDS)[number]>[],
  limit = Infinity,
): Ranking<Contestant> {
  const results = byBoard(rows).flatMap(({ board, rows }) => {
    const submissions = Map.groupBy(rows, ({ userId }) => userId);
    const best = bestOfUsers(rows);
    const places = placesOf(best);
    return best.slice(0, limit).map((row, at) => ({
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

/** Equal times share a place: 1, 2, 2, 4. */
function placesOf(best: readonly { scoreNs: number }[]): number[] {
  let place = 0;
  return best.map(({ scoreNs }, at) => {
    if (scoreNs !== best[at - 1]?.scoreNs) place = at + 1;
    return place;
  });
}
