/** Data of a board page. */
import type { Board, BoardHistory, Competition, TargetAvailability } from "@kernelbot/core";
import type { Visit } from "../layout/page-context.ts";
import type { BoardFilter } from "./filter.ts";

export interface BoardPage {
  /** The board with all its rows, or with only those of the first page if the filter needs no more. */
  board: Board;
  /** Counts over the whole board, if `board` contains only the first page. */
  whole?: { entries: number; confirmed: number };
  history: BoardHistory;
  /** Competition of the problem; null for practice. */
  competition: Competition | null;
  /** Targets on which the problem can be run, including this one. */
  targets: readonly string[];
  /** Runners and queue of the target. */
  runners: TargetAvailability;
  filter: BoardFilter;
  now: Date;
  visit: Visit;
  /** Id of the viewer on the board, a pseudonym if it shows these; null without an account. */
  viewerId: string | null;
}

/** Returns the number of entries on the board, regardless of the filter. */
export function entriesOf({ board, whole }: Pick<BoardPage, "board" | "whole">): number {
  return whole?.entries ?? board.rows.length;
}

/** Returns whether the board has only results that were imported, because its problem cannot be judged here. */
export function isImported({ rows: [first] }: Board): boolean {
  return first !== undefined && first.imported && !first.legacyHarness;
}
