/** Computes the rank that a time would have on a board. */
import { rankEntries, type BoardRow } from "./board.ts";

/** Rank that a time would have among the entries of others. */
export interface RankEstimate {
  timeNs: BoardRow["timeNs"];
  rank: number;
  /** Number of entries on the board, this one included. */
  entries: number;
  /** Time of the better entry that the account or its team already has; null if this time would become the entry. */
  betterNs: number | null;
  /** Neighbouring rows from fast to slow; `entry` is null for the prospective row itself. */
  around: { rank: number; timeNs: BoardRow["timeNs"]; entry: BoardRow | null }[];
}

/** Number of rows shown above and below. */
const BESIDE = 2;

/** Returns the rank that a time of an account would have among these rows, without the account's own row. */
export function estimateRank(rows: readonly BoardRow[], accountId: string, timeNs: BoardRow["timeNs"]): RankEstimate {
  const isOwn = ({ account, team }: BoardRow) =>
    team === null ? account.id === accountId : team.members.some(({ id }) => id === accountId);
  const own = rows.find(isOwn);
  const others = rows.filter((row) => row !== own).map((row) => ({ row, timeNs: row.timeNs }));
  const faster = others.filter((other) => other.timeNs.value <= timeNs.value);
  const ranked = rankEntries([...faster, { row: null, timeNs }, ...others.slice(faster.length)]);
  return {
    timeNs,
    rank: ranked[faster.length]?.rank ?? 1,
    entries: ranked.length,
    betterNs: own !== undefined && own.timeNs.value < timeNs.value ? own.timeNs.value : null,
    around: ranked
      .slice(Math.max(0, faster.length - BESIDE), faster.length + 1 + BESIDE)
      .map(({ row, rank, timeNs }) => ({ rank, timeNs, entry: row })),
  };
}
