/** Reads the first rows of boards with a cache. */
import { sql } from "kysely";
import type { Board } from "@kernelbot/core";
import type { Identity } from "../auth/identity.ts";
import type { Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";

import { readHead, type BoardHead } from "./board-version.ts";
import { readRows } from "./board-rows.ts";

/** The first rows of a board, and the total numbers of entries and confirmed entries. */
interface BoardTop {
  board: Board;
  entries: number;
  confirmed: number;
}

/** Cache of the first rows of boards. */
const topCache = perDatabase(() => new Map<string, { changeNumber: number; read: Promise<BoardTop> }>());

/** Maximum number of boards in `topCache`. */
const MAX_CACHED_TOPS = 500;

/**
 * Returns the first rows of a board, which is all that most readers need and much less work than the whole board. Null
 * if the caller has to read the whole board: it is frozen, or a row of the viewer is further down.
 * @throws the errors of `readBoard`.
 */
export async function readTop(
  database: Database,
  viewer: Viewer,
  board: string,
  target: string,
  revision: number | undefined,
  rows: number,
): Promise<BoardTop | null> {
  const head = await readHead(database, viewer, board, target, revision);
  if (head.freeze !== null) return null;
  const kept = topCache(database);
  const key = JSON.stringify([board, target, head.revision, rows]);
  let known = kept.get(key);
  if (known?.changeNumber !== head.changeNumber) {
    known = { changeNumber: head.changeNumber, read: readTopRows(database, head, board, target, rows) };
    known.read.catch(() => kept.delete(key));
    kept.delete(key);
    kept.set(key, known);
    if (kept.size > MAX_CACHED_TOPS) kept.delete(kept.keys().next().value ?? key);
  }
  const top = await known.read;
  const isBelow = viewer !== undefined && top.entries > rows && (await hasRowBelow(database, viewer, head, top.board));
  return isBelow ? null : top;
}

async function readTopRows(database: Database, head: BoardHead, board: string, target: string, rows: number) {
  const [first, { rows: counts }] = await Promise.all([
    readRows(database, head, board, target, "unfrozen_revision_entry", rows),
    sql<{ entries: number; confirmed: number }>`
        select count(*) as entries, count(*) filter (where confirmed) as confirmed
        from unfrozen_revision_entry where problem = ${board} and target = ${target} and revision = ${head.revision}`.execute(
      database.db,
    ),
  ]);
  return { board: first, entries: 0, confirmed: 0, ...counts[0] };
}

/** Returns whether the viewer or a team of theirs has a row on a board that is not among the given rows. */
async function hasRowBelow(
  database: Database,
  viewer: Identity,
  head: BoardHead,
  { board, target, rows }: Board,
): Promise<boolean> {
  const { rows: own } = await sql<{ run_id: number }>`
      select run_id from unfrozen_revision_entry where problem = ${board} and target = ${target} and revision = ${head.revision}
        and entrant = any (array(select 'team:' || team_id from team_member
          where account_id = ${viewer.account.id} and left_at is null) || ${viewer.account.id}::text)`.execute(
    database.db,
  );
  return own.some(({ run_id }) => !rows.some((row) => row.runId === run_id));
}
