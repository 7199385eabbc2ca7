/** Columns shared by several results. */
import { formatEfficiency } from "@kernelbot/core";
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

/** Returns the column of SOL scores and fractions of peak; empty if no board of the rows ranks by them. */
export function efficiencyColumn<Row extends { efficiency: number | null }>(
  rows: readonly Row[],
): readonly ResultColumn<Row>[] {
  if (rows.every(({ efficiency }) => efficiency === null)) return [];
  return [numbers("score", ({ efficiency }) => (efficiency === null ? NONE : formatEfficiency(efficiency)))];
}
