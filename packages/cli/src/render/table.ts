import { columnsOf, fit, oneLine, pad } from "../text.ts";
import type { Style } from "../style.ts";

const GAP = "  ";

export interface Column {
  title: string;
  /** Where the text stands in the column; numbers stand right. */
  side?: "left" | "right";
  /** The one column that gives way where the table is too wide. */
  shrinks?: true;
}

/** Rows under titles, each column as wide as its widest cell, in at most `width` columns where one of them shrinks. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
  style: Style,
): string[] {
  const cells = [columns.map((column) => column.title), ...rows.map((row) => row.map(oneLine))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => columnsOf(row[index] ?? ""))));
  const total = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1);
  const shrinking = columns.findIndex((column) => column.shrinks);
  if (shrinking >= 0 && total > width) {
    widths[shrinking] = Math.max(8, (widths[shrinking] ?? 0) - (total - width));
  }
  const lines = cells.map((row) =>
    columns
      .map(({ side }, index) => pad(fit(row[index] ?? "", widths[index] ?? 0), widths[index] ?? 0, side))
      .join(GAP)
      .trimEnd(),
  );
  const [titles = "", ...body] = lines;
  return titles === "" ? body : [style.dim(titles), ...body];
}
