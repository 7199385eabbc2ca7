/** Where a submission stands on the boards of its problem, and who leads them. */
import { rank, type Place } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { perDatabase } from "../db/per-database.ts";
import { retrying } from "../db/retry.ts";
import { readRevision } from "./revisions.ts";

/** One for each of the targets whose board has entries. Whether the viewer may see the board is asked before. */
export async function placesOf(
  database: Database,
  board: string,
  targets: readonly string[],
  submissionId: number,
): Promise<Place[]> {
  const ladders = await Promise.all(targets.map((target) => ladderOf(database, board, target)));
  return ladders.flatMap(({ leader, standings }, at) => {
    if (leader === null) return [];
    const own = standings.get(submissionId) ?? null;
    return [{ target: targets[at] as string, own, entries: standings.size, leader }];
  });
}

/** Who stands where on a board. */
interface Ladder {
  leader: Place["leader"] | null;
  /** By submission. */
  standings: ReadonlyMap<number, NonNullable<Place["own"]>>;
}

/** Remembered under the revision of the board: to rank all its entries for each look at one would cost too much. */
async function ladderOf(database: Database, board: string, target: string): Promise<Ladder> {
  const memory = remembered(database);
  const key = `${board} ${target}`;
  // Its revision before its rows, so that these are never older than that.
  const revision = await readRevision(database, board, target);
  const known = memory.get(key);
  if (known?.revision === revision) return known.ladder;
  if (memory.size >= MAX_REMEMBERED) memory.clear();
  const ladder = readLadder(database, board, target);
  memory.set(key, { revision, ladder });
  ladder.catch(() => memory.delete(key));
  return ladder;
}

const MAX_REMEMBERED = 32;
const remembered = perDatabase(() => new Map<string, { revision: number; ladder: Promise<Ladder> }>());

async function readLadder({ db }: Database, board: string, target: string): Promise<Ladder> {
  const rows = await retrying(() =>
    db
      .selectFrom("board_entry as e")
      .innerJoin("account", "account.id", "e.account_id")
      .select(["e.submission_id", "e.confirmed", "e.time_ns", "e.time_low_ns", "e.time_high_ns", "account.name"])
      .where("e.problem", "=", board)
      .where("e.target", "=", target)
      .orderBy("e.time_ns")
      .orderBy("e.entry_run_id")
      .execute(),
  );
  const ranked = rank(
    rows.map(({ time_ns, time_low_ns, time_high_ns, ...row }) => ({
      ...row,
      timeNs: { value: time_ns, low: time_low_ns, high: time_high_ns },
    })),
  );
  const [leader] = ranked;
  return {
    leader: leader === undefined ? null : { id: leader.submission_id, account: leader.name },
    standings: new Map(
      ranked.map((row) => [
        row.submission_id,
        { rank: row.rank, standing: row.confirmed ? "confirmed" : "provisional" } as const,
      ]),
    ),
  };
}
