/** Reads whole boards with a cache. */
import { KernelBotError, type Board } from "@kernelbot/core";
import type { Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import { readHead, requireUnfrozenAccess } from "./head.ts";
import { readWholeRevision } from "./revisions.ts";
import { readRows } from "./rows.ts";

/** Number of rows in the cache of boards; the least recently read boards are dropped. */
const MAX_CACHED_ROWS = 50_000;

/** Cache of boards. Reading 10 000 rows takes 250 ms, and many viewers read the same board. */
const boardCache = perDatabase(() => new Map<string, { revision: number; read: Promise<Board>; rows: number }>());

/**
 * Returns a board with all its rows, from fast to slow. `edition` is a revision of the board, by default the current
 * one. Boards are cached by their change counter (`revision`) and shared by all viewers.
 * @throws KernelBotError `not_found` if there is no such board for the viewer.
 */
export async function readBoard(
  database: Database,
  viewer: Viewer,
  board: string,
  target: string,
  edition?: number,
): Promise<Board> {
  // Read the change counter before the rows, so that the rows are never older than the counter.
  const head = await readHead(database, viewer, board, target, edition);
  const kept = boardCache(database);
  // A reveal changes the board before its change counter is incremented, so the freeze is part of the key.
  const key = JSON.stringify([board, target, head.edition, head.freeze]);
  const known = kept.get(key);
  // Deleted and set again, so that the most recently read board is last.
  kept.delete(key);
  if (known?.revision === head.revision) {
    kept.set(key, known);
    return known.read;
  }
  const entry = { revision: head.revision, read: readRows(database, head, board, target), rows: 0 };
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
  const revision = await readWholeRevision(database, board, target);
  const whole = await readRows(database, head, board, target, "counted_entry");
  return { ...whole, revision, unfrozen: head.freeze !== null };
}

/** Returns a board as `readBoard` does, but null if there is no such board for the viewer. */
export async function findBoard(
  database: Database,
  viewer: Viewer,
  board: string,
  target: string,
  edition?: number,
): Promise<Board | null> {
  return readBoard(database, viewer, board, target, edition).catch((error: unknown) => {
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
