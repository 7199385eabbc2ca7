/** Pages of long lists, and links between them. */
import { html, type Html } from "../html.ts";

export const ROWS_PER_PAGE = 100;

/** Range of rows on the page, counted from 1 and inclusive, out of the `of` rows of the list. */
export interface Span {
  from: number;
  to: number;
  of: number;
}

/** Returns the page that contains the given row, or the first page if that row does not exist. */
export function pageWith(row: number, of: number): Span {
  const from = row > of ? 1 : pageStart(row);
  return { from, to: Math.min(from + ROWS_PER_PAGE - 1, of), of };
}

/** Returns the first row of the page that contains the given row. */
export function pageStart(row: number): number {
  return row - ((row - 1) % ROWS_PER_PAGE);
}

/** Formats a span as `201 to 400 of 10,000`; null if all rows fit on one page. */
export function formatSpan({ from, to, of }: Span): string | null {
  if (of <= ROWS_PER_PAGE) return null;
  const [first, last, all] = [from, to, of].map((row) => row.toLocaleString("en-US"));
  return `${first} to ${last} of ${all}`;
}

/**
 * Renders the links to other pages, for below the rows; null if all rows fit on one page.
 * @param list What the pages are of: `leaderboard`.
 * @param pathOf Returns the path of the page that begins with a row.
 */
export function pageLinks(list: string, span: Span, pathOf: (from: number) => string): Html | null {
  const rangeText = formatSpan(span);
  if (rangeText === null) return null;
  const { from, to, of } = span;
  const link = (name: string, row: number, rel: Html | null = null): Html =>
    html`<li><a href="${pathOf(row)}" ${rel}>${name}</a></li>`;
  return html`<nav id="pages" aria-label="Pages of this ${list}">
    <p>Rows ${rangeText}</p>
    <ul class="plain">
      ${from === 1 ? null : [link("First", 1), link("Previous", from - ROWS_PER_PAGE, html`rel="prev"`)]}
      ${to === of ? null : [link("Next", to + 1, html`rel="next"`), link("Last", pageStart(of))]}
    </ul>
  </nav>`;
}
