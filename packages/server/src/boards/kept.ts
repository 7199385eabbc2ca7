/**
 * Boards with their histories as pages show them, kept while nothing on them changes: many look at one, and after each change
 * all who look ask again.
 */
import type { Board, BoardHistory } from "@kernelbot/core";
import type { Viewer } from "../competitions/access.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import { readBoard } from "./boards.ts";
import { readHistory } from "./history.ts";

/** Boards, and of each of them so many choices of entrants. */
const MOST = 8;

interface Kept {
  board: Board;
  histories: Latest<Promise<BoardHistory>>;
}

const keptHistories = perDatabase(() => new Latest<Kept>());

/** A board with what it says of some of its entrants' history; `entrants` are as in core's `entrantOf`. */
export async function readKeptBoard(
  database: Database,
  viewer: Viewer,
  name: string,
  target: string,
  entrants: (board: Board) => readonly string[],
): Promise<{ board: Board; history: BoardHistory }> {
  const board = await readBoard(database, viewer, name, target);
  const kept = keptHistories(database);
  const key = `${name} ${target}`;
  // The board is the same one as long as nothing on it changes.
  const { histories } = kept.get(key, (known) =>
    known?.board === board ? known : { board, histories: new Latest<Promise<BoardHistory>>() },
  );
  const whom = entrants(board);
  try {
    return {
      board,
      history: await histories.get(
        JSON.stringify(whom),
        (known) => known ?? readHistory(database, viewer, name, target, whom),
      ),
    };
  } catch (error) {
    kept.delete(key);
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
