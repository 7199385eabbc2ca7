import { columnsOf, fit, oneLine, pad } from "../output/text.ts";
import type { Style } from "../output/style.ts";

const GAP = "  ";
/** Width to which a column that shrinks is padded where the output has no width: longer cells move the rest of their row. */
const MAX_PADDING = 40;

export interface Column {
  title: string;
  /** Alignment of the text; use right for numbers. */
  side?: "left" | "right";
  /** Whether the column is cut when the table is too wide; at most one column. */
  shrinks?: true;
}

/**
 * Formats rows under titles. Each column is as wide as its widest cell; if a column shrinks, the table has at most
 * `width` columns of text. With a width of Infinity, no cell is cut, and a long one does not widen the other rows.
 */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
  style: Style,
): string[] {
  const cells = [columns.map((column) => column.title), ...rows.map((row) => row.map(oneLine))];
  const widths = columns.map(({ shrinks }, index) => {
    const widest = cells.reduce((most, row) => Math.max(most, columnsOf(row[index] ?? "")), 0);
    return shrinks && width === Infinity ? Math.min(widest, MAX_PADDING) : widest;
  });
  const total = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1);
  const shrinking = columns.findIndex((column) => column.shrinks);
  if (shrinking >= 0 && total > width) {
    widths[shrinking] = Math.max(8, (widths[shrinking] ?? 0) - (total - width));
  }
  const lines = cells.map((row) =>
    columns
      .map(({ side }, index) => {
        const cell = row[index] ?? "";
        const columnWidth = widths[index] ?? 0;
        return pad(width === Infinity ? cell : fit(cell, columnWidth), columnWidth, side);
      })
      .join(GAP)
      .trimEnd(),
  );
  const [titles = "", ...body] = lines;
  return titles === "" ? body : [style.dim(titles), ...body];
}
