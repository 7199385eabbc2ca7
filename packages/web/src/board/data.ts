/** The data of the page of a board. */
import type { Board, BoardHistory, Competition } from "@kernelbot/core";
import type { Visit } from "../visit.ts";
import type { BoardFilter } from "./filter.ts";

export interface BoardPage {
  /** With all its rows, or with those of the first page where the filter needs no more. */
  board: Board;
  /** How many rows it has in all, where not all are there. */
  whole?: { entries: number; confirmed: number };
  history: BoardHistory;
  /** The competition of its problem; null for practice. */
  competition: Competition | null;
  /** On which its problem can be run, this one among them. */
  targets: readonly string[];
  filter: BoardFilter;
  now: Date;
  visit: Visit;
}
