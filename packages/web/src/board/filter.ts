/** Which rows of a board a page shows, as its address says it: a link shows the same to everybody. */
import { entrantName, type AuthorKind, type BoardRow, type Standing } from "@kernelbot/core";

export interface BoardFilter {
  /** A former edition; null for the one that the board shows. */
  edition: number | null;
  author: AuthorKind | null;
  standing: Standing | null;
  /** Words that must all be somewhere in the entry: its name, members, model or file. */
  search: string;
  /** Whether the times of the cases have columns. */
  cases: boolean;
  /** Submissions whose entrants the chart shows in place of the first five. */
  with: readonly number[];
  /** A row of the page that is shown, counted from 1 among those that pass. */
  from: number;
  /** Whether what a freeze hides is shown too. */
  unfrozen: boolean;
}

export const ALL: BoardFilter = {
  edition: null,
  author: null,
  standing: null,
  search: "",
  cases: false,
  with: [],
  from: 1,
  unfrozen: false,
};

/** The rows that pass, in their order, with the ranks that they have on the whole board. */
export function matching(rows: readonly BoardRow[], { author, standing, search }: BoardFilter): readonly BoardRow[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (author === null && standing === null && words.length === 0) return rows;
  return rows.filter((row) => {
    if (author !== null && row.author.kind !== author) return false;
    if (standing !== null && row.standing !== standing) return false;
    const text = words.length === 0 ? "" : textOf(row);
    return words.every((word) => text.includes(word));
  });
}

function textOf(row: BoardRow): string {
  const members = row.team?.members.map(({ name }) => name) ?? [];
  return [entrantName(row), ...members, row.author.model ?? "", row.fileName].join("\n").toLowerCase();
}

/** Whether some rows may be left out. */
export function isFiltering({ author, standing, search }: BoardFilter): boolean {
  return author !== null || standing !== null || search.trim() !== "";
}

/** Whether a page needs more than the first rows of the board. */
export function needsAllRows(filter: BoardFilter): boolean {
  return isFiltering(filter) || filter.from > 1 || filter.with.length > 0 || filter.unfrozen;
}

/** The same from the first row on, with none left out. */
export function unfiltered(filter: BoardFilter): BoardFilter {
  return { ...filter, author: null, standing: null, search: "", from: 1 };
}

/** The address of a board with a filter. */
export function boardPath(
  { board, target }: { board: string; target: string },
  filter: Partial<BoardFilter> = {},
): string {
  const query = queryOf(filter);
  return `/boards/${board}/${target}${query.size === 0 ? "" : `?${query.toString()}`}`;
}

/** A filter as its address and forms say it. */
export function queryOf(filter: Partial<BoardFilter>): URLSearchParams {
  const query = new URLSearchParams();
  if (filter.edition != null) query.set("edition", String(filter.edition));
  for (const name of ["author", "standing", "search"] as const) {
    const value = filter[name];
    if (value != null && value !== "") query.set(name, value);
  }
  if (filter.cases === true) query.set("cases", "1");
  if (filter.unfrozen === true) query.set("unfrozen", "true");
  for (const id of filter.with ?? []) query.append("with", String(id));
  if (filter.from !== undefined && filter.from !== 1) query.set("from", String(filter.from));
  return query;
}
