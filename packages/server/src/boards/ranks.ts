/** The ranks of a submission on the boards of its problem, and the leaders of these boards. */
import { entrantName, type BoardRow, type SubmissionRank } from "@kernelbot/core";
import type { Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { findBoard } from "./boards.ts";

/** Returns an entry for each of the targets that has a non-empty board for the viewer. */
export async function findSubmissionRanks(
  database: Database,
  viewer: Viewer,
  board: string,
  targets: readonly string[],
  submissionId: number,
): Promise<SubmissionRank[]> {
  const boards = await Promise.all(targets.map((target) => findBoard(database, viewer, board, target)));
  return boards.flatMap((found): SubmissionRank[] => {
    if (found === null) return [];
    const { target, rows, freeze, applicationGate } = found;
    const [first] = rows;
    if (first === undefined) return [];
    const own = rows.find((row) => row.submissionId === submissionId);
    const leader = { id: first.submissionId, account: entrantName(first) };
    const place = { target, entries: rows.length, applicationGate, freeze, leader };
    if (own === undefined) return [{ ...place, own: null, ahead: null }];
    const { rank, verification } = own;
    const better = rows.findLast((row) => row.rank < rank);
    const ahead = better === undefined ? null : { ...pick(better), account: entrantName(better) };
    return [{ ...place, own: { ...pick(own), verification }, ahead }];
  });
}

function pick({ rank, timeNs, rankedBy }: BoardRow): Pick<BoardRow, "rank" | "timeNs" | "rankedBy"> {
  return { rank, timeNs, rankedBy };
}
