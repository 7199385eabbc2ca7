/** Columns shared by several results. */
import { formatRankedBy, type BestRankedBy } from "@kernelbot/core";
import type { Column } from "../render/table.ts";

type ResultColumn<Row> = Column & { cell: (row: Row) => string };

interface Board {
  problem: string;
  target: string;
}

export const BOARD_COLUMNS: readonly ResultColumn<Board>[] = [
  { title: "problem", cell: ({ problem }) => problem },
  { title: "target", cell: ({ target }) => target },
];

export function numbers<Row>(title: string, cell: (row: Row) => string): ResultColumn<Row> {
  return { title, side: "right", cell };
}

/** Placeholder of a missing value. */
export const NONE = "–";

/** Returns the column of the values that rank in place of the time; empty if all boards of the rows rank by time. */
export function rankedByColumn<Row extends { rankedBy: BestRankedBy | null }>(
  rows: readonly Row[],
): readonly ResultColumn<Row>[] {
  if (rows.every(({ rankedBy }) => rankedBy === null)) return [];
  return [numbers("score", ({ rankedBy }) => (rankedBy === null ? NONE : formatRankedBy(rankedBy)))];
}
