/** Computes the rank that a result would have on a board. */
import type { RankedResult } from "../score/ranked-by.ts";
import { rankEntries, rankKey, type BoardRow } from "./board.ts";

/** Rank that a result would have among the entries of others. */
export interface RankEstimate {
  rank: number;
  /** Number of entries on the board, this one included. */
  entries: number;
  /** Better entry that the account or its team already has; null if this result would become the entry. */
  better: BoardRow | null;
  /** Neighbouring rows from best to worst; `entry` is null for the prospective row itself. */
  around: { rank: number; result: RankedResult; entry: BoardRow | null }[];
}

/** Number of rows shown above and below. */
const BESIDE = 2;

/** Returns the rank that a result of an account would have among these rows, without the account's own row. */
export function estimateRank(rows: readonly BoardRow[], accountId: string, result: RankedResult): RankEstimate {
  const isOwn = ({ account, team }: BoardRow) =>
    team === null ? account.id === accountId : team.members.some(({ id }) => id === accountId);
  const isAhead = (row: RankedResult) => rankKey(row).value <= rankKey(result).value;
  const own = rows.find(isOwn);
  const others = rows.filter((row) => row !== own).map((row) => ({ row, timeNs: row.timeNs, rankedBy: row.rankedBy }));
  const ahead = others.filter(isAhead);
  const prospective = { row: null, timeNs: result.timeNs, rankedBy: result.rankedBy };
  const ranked = rankEntries([...ahead, prospective, ...others.slice(ahead.length)]);
  return {
    rank: ranked[ahead.length]?.rank ?? 1,
    entries: ranked.length,
    better: own !== undefined && rankKey(own).value < rankKey(result).value ? own : null,
    around: ranked
      .slice(Math.max(0, ahead.length - BESIDE), ahead.length + 1 + BESIDE)
      .map(({ row, rank, timeNs, rankedBy }) => ({ rank, result: { timeNs, rankedBy }, entry: row })),
  };
}
