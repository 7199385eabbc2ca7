import { columnsOf, fit, oneLine, pad } from "../output/text.ts";
import type { Style } from "../output/style.ts";

const GAP = "  ";

export interface Column {
  title: string;
  /** Alignment of the text; use right for numbers. */
  side?: "left" | "right";
  /** Whether the column is cut when the table is too wide; at most one column. */
  shrinks?: true;
}

/**
 * Formats rows under titles. Each column is as wide as its widest cell; if a column shrinks, the table has at most
 * `width` columns of text.
 */
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
