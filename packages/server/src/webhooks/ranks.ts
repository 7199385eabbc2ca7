/** Computes rank changes of a board for one webhook. */
import { entrantOf, WEBHOOK_RANKS, type BoardRow, type RankChange } from "@kernelbot/core";

/** The fields of a board's row that are delivered. */
export type Row = Pick<BoardRow, "rank" | "account" | "team" | "submissionId" | "timeNs">;

/** A row as last delivered to a webhook. */
export interface DeliveredRank {
  id: string;
  name: string;
  rank: number;
}

/** Rows that a webhook watches: its owner's or team's row, and if `first` is set, the first rows too. */
export interface Watch {
  entrantId: string;
  first: boolean;
}

export interface Change {
  changes: RankChange[];
  /** Rows to store as last delivered. */
  known: DeliveredRank[];
}

/** Returns the changes from the known rows to the current ones. `rowOf` contains all current rows by entrant. */
export function changesOf(
  known: readonly DeliveredRank[],
  rows: readonly Row[],
  rowOf: ReadonlyMap<string, Row>,
  { entrantId, first }: Watch,
): Change {
  const own = rowOf.get(entrantId);
  const watched = new Set(first ? rows.slice(0, WEBHOOK_RANKS) : []);
  if (own !== undefined) watched.add(own);
  const before = new Map(known.map((each) => [each.id, each]));
  const now = Array.from(watched, (row) => ({ ...entrantOf(row), rank: row.rank }));
  // Rows that the webhook may no longer watch are forgotten, not reported as gone.
  const gone = known.filter(({ id }) => (first || id === entrantId) && !now.some((each) => each.id === id));
  return {
    changes: [...now, ...gone].flatMap(({ id, name }) => {
      const oldRank = before.get(id)?.rank ?? null;
      const row = rowOf.get(id);
      const newRank = row?.rank ?? null;
      if (oldRank === newRank) return [];
      const account = { id, name };
      return [
        { account, oldRank, newRank, submissionId: row?.submissionId ?? null, timeNs: row?.timeNs.value ?? null },
      ];
    }),
    known: now,
  };
}
