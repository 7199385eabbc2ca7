/** Reads whole boards with a cache. */
import { KernelBotError, type Board } from "@kernelbot/core";
import type { Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import { readHead, requireUnfrozenAccess } from "./board-version.ts";
import { readWholeChangeNumber } from "./change-numbers.ts";
import { readRows } from "./board-rows.ts";

/** Number of rows in the cache of boards; the least recently read boards are dropped. */
const MAX_CACHED_ROWS = 50_000;

/** Cache of boards. Reading 10 000 rows takes 250 ms, and many viewers read the same board. */
const boardCache = perDatabase(() => new Map<string, { changeNumber: number; read: Promise<Board>; rows: number }>());

/**
 * Returns a board with all its rows, from fast to slow. `revision` defaults to the current one. Boards are cached by
 * their change number and shared by all viewers.
 * @throws KernelBotError `not_found` if there is no such board for the viewer.
 */
export async function readBoard(
  database: Database,
  viewer: Viewer,
  board: string,
  target: string,
  revision?: number,
): Promise<Board> {
  // Read the change number before the rows, so that the rows are never older than their number.
  const head = await readHead(database, viewer, board, target, revision);
  const kept = boardCache(database);
  // A reveal changes the board before its change number is incremented, so the freeze is part of the key.
  const key = JSON.stringify([board, target, head.revision, head.freeze]);
  const known = kept.get(key);
  // Deleted and set again, so that the most recently read board is last.
  kept.delete(key);
  if (known?.changeNumber === head.changeNumber) {
    kept.set(key, known);
    return known.read;
  }
  const entry = { changeNumber: head.changeNumber, read: readRows(database, head, board, target), rows: 0 };
  kept.set(key, entry);
  try {
    const read = await entry.read;
    entry.rows = read.rows.length;
    evictLeastRecent(kept);
    return read;
  } catch (error) {
    if (kept.get(key) === entry) kept.delete(key);
    throw error;
  }
}

/**
 * Returns a board including what a freeze hides. Not cached.
 * @throws KernelBotError `not_found` if there is no such board for the viewer; `forbidden` if the viewer may not see
 * hidden entries.
 */
export async function readUnfrozen(database: Database, viewer: Viewer, board: string, target: string): Promise<Board> {
  const head = await readHead(database, viewer, board, target);
  await requireUnfrozenAccess(database, viewer, board);
  // Read before the rows, so that a concurrent change causes a notification.
  const changeNumber = await readWholeChangeNumber(database, board, target);
  const whole = await readRows(database, head, board, target, "unfrozen_board_entry");
  return { ...whole, changeNumber, unfrozen: head.freeze !== null };
}

/** Returns a board as `readBoard` does, but null if there is no such board for the viewer. */
export async function findBoard(
  database: Database,
  viewer: Viewer,
  board: string,
  target: string,
  revision?: number,
): Promise<Board | null> {
  return readBoard(database, viewer, board, target, revision).catch((error: unknown) => {
    if (error instanceof KernelBotError && error.code === "not_found") return null;
    throw error;
  });
}

function evictLeastRecent(kept: Map<string, { rows: number }>): void {
  let total = 0;
  for (const [key, { rows }] of [...kept].reverse()) {
    total += rows;
    if (total > MAX_CACHED_ROWS) kept.delete(key);
  }
}
