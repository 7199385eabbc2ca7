import type { Board, BoardHistory } from "@kernelbot/core";
import type { Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { readHistory } from "./history.ts";

/** Maximum number of cached selections of entrants for each board. */
const MOST = 8;

/**
 * Cache of histories by the `Board` object that was read: the history is unchanged as long as that object is returned.
 */
const read = new WeakMap<Board, Map<string, Promise<BoardHistory>>>();

/** Returns the history of a board as shown to a viewer. @param entrants As in core's `entrantOf`. */
export function readProgress(
  database: Database,
  viewer: Viewer,
  board: Board,
  entrants: readonly string[],
): Promise<BoardHistory> {
  if (board.revision !== board.currentRevision) return Promise.resolve(noHistory(board));
  const histories = read.get(board) ?? new Map<string, Promise<BoardHistory>>();
  read.set(board, histories);
  const key = JSON.stringify(entrants);
  const known = histories.get(key);
  if (known !== undefined) return known;
  const { unfrozen } = board;
  const history = readHistory(database, viewer, board.board, board.target, entrants, { unfrozen });
  history.catch(() => histories.delete(key));
  if (histories.size < MOST) histories.set(key, history);
  return history;
}

/** Returns an empty history: only the current revision of a board has a history. */
function noHistory({ board, target, problemVersion, changeNumber, freeze }: Board): BoardHistory {
  return { board, target, problemVersion, changeNumber, freeze, records: [], entrants: [] };
}
