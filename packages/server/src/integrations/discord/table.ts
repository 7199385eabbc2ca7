/** Tables in code blocks, with paging. */
import { cell, fenced } from "./escape.ts";
import type { Button } from "./protocol.ts";

/** Formats a table. @param columns Title and maximum width of each column; columns are no wider than their content. */
export function table(columns: readonly (readonly [title: string, most: number])[], rows: readonly string[][]): string {
  const widths = columns.map(([title, most], index) =>
    Math.min(most, Math.max(title.length, ...rows.map((row) => Array.from(row[index] ?? "").length))),
  );
  const line = (cells: readonly string[]): string =>
    widths
      .map((width, index) => cell(cells[index] ?? "", width))
      .join(" ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width)).join(" ");
  return fenced([line(columns.map(([title]) => title)), rule, ...rows.map(line)].join("\n"));
}

export interface Page<Row> {
  rows: Row[];
  /** Zero-based page number. */
  number: number;
  pages: number;
}

/** Returns a page of rows; the nearest one when the number is out of range. */
export function pageOf<Row>(rows: readonly Row[], pageNumber: number, size: number): Page<Row> {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const number = Math.min(pages - 1, Math.max(0, Math.floor(pageNumber) || 0));
  return { rows: rows.slice(number * size, (number + 1) * size), number, pages };
}

/** Returns the buttons for paging; none for a single page. */
export function pagerButtons({ number, pages }: Omit<Page<unknown>, "rows">, id: (page: number) => string): Button[] {
  if (pages === 1) return [];
  return [
    { id: id(number - 1), label: "◀", disabled: number === 0 },
    { id: "none", label: `Page ${number + 1}/${pages}`, disabled: true },
    { id: id(number + 1), label: "▶", disabled: number === pages - 1 },
  ];
}
