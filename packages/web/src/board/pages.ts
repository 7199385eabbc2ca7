/** The rows of a board are shown so many at a time: which these are, and the way to the others. */
import { html, type Html } from "../html.ts";
import type { BoardPage } from "./data.ts";
import { boardPath } from "./filter.ts";

export const ROWS_A_PAGE = 100;

/** How many entries the board has, whatever passes the filter. */
export function entriesOf({ board, whole }: Pick<BoardPage, "board" | "whole">): number {
  return whole?.entries ?? board.rows.length;
}

/** Rows of those that pass the filter, from the first to the last that are shown; counted from 1. */
export interface Span {
  from: number;
  to: number;
  of: number;
}

/** The page that has a row, or the first where there is no such row. */
export function spanWith(row: number, of: number): Span {
  const from = row > of ? 1 : pageStart(row);
  return { from, to: Math.min(from + ROWS_A_PAGE - 1, of), of };
}

/** The first row of the page that has a row. */
export function pageStart(row: number): number {
  return row - ((row - 1) % ROWS_A_PAGE);
}

/** `201 to 400 of 10,000`; null where all fit on one page. */
export function spanWords({ from, to, of }: Span): string | null {
  if (of <= ROWS_A_PAGE) return null;
  const [first, last, all] = [from, to, of].map((row) => row.toLocaleString("en-US"));
  return `${first} to ${last} of ${all}`;
}

/** Stands under the rows. Its links lead to the rows of the other pages, past what is the same on each. */
export function pageLinks({ board, filter }: BoardPage, span: Span): Html | null {
  const words = spanWords(span);
  if (words === null) return null;
  const { from, to, of } = span;
  const link = (name: string, row: number, rel: Html | null = null): Html =>
    html`<li><a href="${boardPath(board, { ...filter, from: row })}#entries" ${rel}>${name}</a></li>`;
  return html`<nav id="pages" aria-label="Pages of this board">
    <p>Rows ${words}</p>
    <ul class="plain">
      ${from === 1 ? null : [link("First", 1), link("Previous", from - ROWS_A_PAGE, html`rel="prev"`)]}
      ${to === of ? null : [link("Next", to + 1, html`rel="next"`), link("Last", pageStart(of))]}
    </ul>
  </nav>`;
}
