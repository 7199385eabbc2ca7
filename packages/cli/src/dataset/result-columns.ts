/** Columns shared by several results. */
import type { Column } from "../render/table.ts";

export type ResultColumn<Row> = Column & { cell: (row: Row) => string };

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
