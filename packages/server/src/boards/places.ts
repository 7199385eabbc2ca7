/** Where a submission stands on the boards of its problem, and who leads them. */
import { rank, type Place } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";

/** One for each of the targets whose board has entries. Whether the viewer may see the board is asked before. */
export async function placesOf(
  { db }: Database,
  board: string,
  targets: readonly string[],
  submissionId: number,
): Promise<Place[]> {
  const rows = await retrying(() =>
    db
      .selectFrom("board_entry as e")
      .innerJoin("account", "account.id", "e.account_id")
      .select(["e.target", "e.submission_id", "e.confirmed", "e.time_ns", "e.time_low_ns", "e.time_high_ns"])
      .select("account.name")
      .where("e.problem", "=", board)
      .where("e.target", "in", [...targets])
      .orderBy("e.time_ns")
      .orderBy("e.entry_run_id")
      .execute(),
  );
  return targets.flatMap((target) => {
    const ranked = rank(
      rows
        .filter((row) => row.target === target)
        .map((row) => ({ ...row, timeNs: { value: row.time_ns, low: row.time_low_ns, high: row.time_high_ns } })),
    );
    const [leader] = ranked;
    if (leader === undefined) return [];
    const own = ranked.find((row) => row.submission_id === submissionId);
    return {
      target,
      own: own === undefined ? null : { rank: own.rank, standing: own.confirmed ? "confirmed" : "provisional" },
      entries: ranked.length,
      leader: { id: leader.submission_id, account: leader.name },
    };
  });
}
