/** What changed on a board for one who watches it. */
import { entrantOf, TOLD_ROWS, type BoardRow, type RankChange } from "@kernelbot/core";

/** A row of a board, as far as it is told. */
export type Row = Pick<BoardRow, "rank" | "account" | "team" | "submissionId" | "timeNs">;

/** A row as a webhook last heard of it. */
export interface Known {
  id: string;
  name: string;
  rank: number;
}

/** Who watches: its own row, or that of its team, and where `first` is true the first rows. */
export interface Watch {
  entrantId: string;
  first: boolean;
}

export interface Change {
  changes: RankChange[];
  /** What the webhook knows from now on. */
  known: Known[];
}

/** The changes from what was known to the rows as they are; `rowOf` has all of them by entrant. */
export function changesOf(
  known: readonly Known[],
  rows: readonly Row[],
  rowOf: ReadonlyMap<string, Row>,
  { entrantId, first }: Watch,
): Change {
  const own = rowOf.get(entrantId);
  const watched = new Set(first ? rows.slice(0, TOLD_ROWS) : []);
  if (own !== undefined) watched.add(own);
  const before = new Map(known.map((each) => [each.id, each]));
  const now = Array.from(watched, (row) => ({ ...entrantOf(row), rank: row.rank }));
  // Rows that it watched once and may not any more are forgotten, and not told to be gone.
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
