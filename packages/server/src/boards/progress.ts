import type { Board, BoardHistory } from "@kernelbot/core";
import type { Viewer } from "../competitions/access.ts";
import type { Database } from "../db/database.ts";
import { readHistory } from "./history.ts";

/** Of each board so many choices of entrants are kept. */
const MOST = 8;

/** What was read for a board as it was read once: it says the same as long as that is shown. */
const read = new WeakMap<Board, Map<string, Promise<BoardHistory>>>();

/** The history of a board that a viewer was shown; `entrants` are as in core's `entrantOf`. */
export function readProgress(
  database: Database,
  viewer: Viewer,
  board: Board,
  entrants: readonly string[],
): Promise<BoardHistory> {
  if (board.edition !== board.currentEdition) return Promise.resolve(noHistory(board));
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

/** Charts tell of the edition that a board shows. */
function noHistory({ board, target, problemVersion, revision, freeze }: Board): BoardHistory {
  return { board, target, problemVersion, revision, freeze, records: [], entrants: [] };
}
