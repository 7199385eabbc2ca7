import { MODES, type BoardLimit } from "@kernelbot/core";
import type { Database } from "../db/database.ts";

/** Returns the limits of a board that apply to every account, ordered by mode. */
export async function readLimits({ db }: Database, board: string): Promise<BoardLimit[]> {
  const rows = await db
    .selectFrom("board_limit")
    .select(["mode", "quantity", "bound", "competition", "problem as board"])
    .where("board", "=", board)
    .orderBy("quantity", "desc")
    .execute();
  return rows.toSorted((a, b) => MODES.indexOf(a.mode) - MODES.indexOf(b.mode));
}
