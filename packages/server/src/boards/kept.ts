/**
 * Boards as pages show them, kept while nothing on them changes: many look at one, a large one takes long to read, and
 * after each change all who look ask again. Whether a viewer may see it, and its revision, are asked of the database each
 * time.
 */
import type { Board, BoardHistory } from "@kernelbot/core";
import type { Viewer } from "../competitions/access.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import { readBoard, readHead } from "./boards.ts";
import { readHistory } from "./history.ts";

/** Boards, and of each of them so many choices of entrants. Ten thousand rows take about 15 MB. */
const MOST = 8;

interface Kept {
  /** What it was read as: the version of the problem and the revision, read before the rows. */
  state: string;
  board: Promise<Board>;
  histories: Latest<Promise<BoardHistory>>;
}

const keptBoards = perDatabase(() => new Latest<Kept>());

/** A board with what it says of some of its entrants' history; `entrants` are as in core's `entrantOf`. */
export async function readKeptBoard(
  database: Database,
  viewer: Viewer,
  name: string,
  target: string,
  entrants: (board: Board) => readonly string[],
): Promise<{ board: Board; history: BoardHistory }> {
  const { version, revision } = await readHead(database, viewer, name, target);
  const state = `${version} ${revision}`;
  const boards = keptBoards(database);
  const key = `${name} ${target}`;
  const { histories, ...kept } = boards.get(key, (known) =>
    known?.state === state
      ? known
      : { state, board: readBoard(database, viewer, name, target), histories: new Latest<Promise<BoardHistory>>() },
  );
  try {
    const board = await kept.board;
    const whom = entrants(board);
    const history = histories.get(
      JSON.stringify(whom),
      (known) => known ?? readHistory(database, viewer, name, target, whom),
    );
    return { board, history: await history };
  } catch (error) {
    boards.delete(key);
    throw error;
  }
}

/** The values that were asked for last. */
class Latest<Value> {
  #values = new Map<string, Value>();

  get(key: string, next: (known: Value | undefined) => Value): Value {
    const value = next(this.#values.get(key));
    this.#values.delete(key);
    this.#values.set(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= MOST) break;
      this.#values.delete(oldest);
    }
    return value;
  }

  delete(key: string): void {
    this.#values.delete(key);
  }
}
