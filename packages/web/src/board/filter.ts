/** Filter of a board page. The URL contains the filter, so a link shows the same rows to every viewer. */
import { entrantName, type AuthorKind, type BoardRow, type VerificationStatus } from "@kernelbot/core";

export interface BoardFilter {
  /** Number of a former board revision; null for the current one. */
  revision: number | null;
  author: AuthorKind | null;
  verification: VerificationStatus | null;
  /** Search terms; each must occur in the entry's name, members, model or file name. */
  search: string;
  /** Whether the case times have columns. */
  cases: boolean;
  /** IDs of submissions: the chart shows their entrants instead of the first five. */
  with: readonly number[];
  /** Row whose page is shown, counted from 1 among the rows that match. */
  from: number;
  /** Whether to include results that a freeze hides. */
  unfrozen: boolean;
}

export const ALL: BoardFilter = {
  revision: null,
  author: null,
  verification: null,
  search: "",
  cases: false,
  with: [],
  from: 1,
  unfrozen: false,
};

/** Returns the rows that match, in order, with their ranks on the whole board. */
export function matchingRows(
  rows: readonly BoardRow[],
  { author, verification, search }: BoardFilter,
): readonly BoardRow[] {
  const terms = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (author === null && verification === null && terms.length === 0) return rows;
  return rows.filter((row) => {
    if (author !== null && row.author.kind !== author) return false;
    if (verification !== null && row.verification !== verification) return false;
    const text = terms.length === 0 ? "" : textOf(row);
    return terms.every((term) => text.includes(term));
  });
}

function textOf(row: BoardRow): string {
  const members = row.team?.members.map(({ name }) => name) ?? [];
  return [entrantName(row), ...members, row.author.model ?? "", row.fileName].join("\n").toLowerCase();
}

/** Returns whether the filter can exclude rows. */
export function isFiltering({ author, verification, search }: BoardFilter): boolean {
  return author !== null || verification !== null || search.trim() !== "";
}

/** Returns whether a page needs more than the first rows of the board. */
export function needsAllRows(filter: BoardFilter): boolean {
  return isFiltering(filter) || filter.from > 1 || filter.with.length > 0 || filter.unfrozen;
}

/** Returns the filter without author, verification status and search, from the first row on. */
export function unfiltered(filter: BoardFilter): BoardFilter {
  return { ...filter, author: null, verification: null, search: "", from: 1 };
}

/** Returns the URL path of a board with a filter. */
export function boardPath(
  { board, target }: { board: string; target: string },
  filter: Partial<BoardFilter> = {},
): string {
  const query = queryOf(filter);
  return `/boards/${board}/${target}${query.size === 0 ? "" : `?${query.toString()}`}`;
}

/** Returns the filter as query parameters, without those at their defaults. */
export function queryOf(filter: Partial<BoardFilter>): URLSearchParams {
  const query = new URLSearchParams();
  if (filter.revision != null) query.set("revision", String(filter.revision));
  for (const name of ["author", "verification", "search"] as const) {
    const value = filter[name];
    if (value != null && value !== "") query.set(name, value);
  }
  if (filter.cases === true) query.set("cases", "1");
  if (filter.unfrozen === true) query.set("unfrozen", "true");
  for (const id of filter.with ?? []) query.append("with", String(id));
  if (filter.from !== undefined && filter.from !== 1) query.set("from", String(filter.from));
  return query;
}
