/** Tables in blocks of code, and their pages. */
import { cell, fenced } from "./escape.ts";
import type { Button } from "./protocol.ts";

/** @param columns How wide each is at most; it is no wider than what is in it. */
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
  /** From 0. */
  number: number;
  pages: number;
}

/** A page of rows; the nearest where there is no such. */
export function pageOf<Row>(rows: readonly Row[], wanted: number, size: number): Page<Row> {
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const number = Math.min(pages - 1, Math.max(0, Math.floor(wanted) || 0));
  return { rows: rows.slice(number * size, (number + 1) * size), number, pages };
}

/** None for a single page. */
export function pagerButtons({ number, pages }: Omit<Page<unknown>, "rows">, id: (page: number) => string): Button[] {
  if (pages === 1) return [];
  return [
    { id: id(number - 1), label: "◀", disabled: number === 0 },
    { id: "none", label: `Page ${number + 1}/${pages}`, disabled: true },
    { id: id(number + 1), label: "▶", disabled: number === pages - 1 },
  ];
}
