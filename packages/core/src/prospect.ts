/** Where a time would stand on a board. */
import { rank, type BoardRow } from "./board.ts";

/** Where a time would stand among the entries of others. */
export interface Prospect {
  timeNs: BoardRow["timeNs"];
  rank: number;
  /** With it. */
  entries: number;
  /** The time of the entry that its account, or team, has and that is better; null where this would be the entry. */
  betterNs: number | null;
  /** The rows about it, from fast to slow; `entry` is null for the one that it would be. */
  around: { rank: number; timeNs: BoardRow["timeNs"]; entry: BoardRow | null }[];
}

/** Rows that are shown above it and below it. */
const BESIDE = 2;

/** The place of a time of an account among these rows, its own left out. */
export function prospectAmong(rows: readonly BoardRow[], accountId: string, timeNs: BoardRow["timeNs"]): Prospect {
  const isOwn = ({ account, team }: BoardRow) =>
    team === null ? account.id === accountId : team.members.some(({ id }) => id === accountId);
  const own = rows.find(isOwn);
  const others = rows.filter((row) => row !== own).map((row) => ({ row, timeNs: row.timeNs }));
  const faster = others.filter((other) => other.timeNs.value <= timeNs.value);
  const ranked = rank([...faster, { row: null, timeNs }, ...others.slice(faster.length)]);
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
