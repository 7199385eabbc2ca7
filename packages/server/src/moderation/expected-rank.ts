/** Rank that a run would have if it were accepted. */
import { estimateRank, type RankEstimate, type RunDetail } from "@kernelbot/core";
import { findBoard } from "../boards/boards.ts";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import type { Identity } from "../auth/identity.ts";
import { scoreOfSamples } from "../runs/scoring.ts";

/**
 * Returns the prospective rank of a ranked run among the entries of other accounts; null if the run cannot be on a
 * board; `why` if it has no score or no board.
 */
export async function expectedRank(
  database: Database,
  identity: Identity,
  run: RunDetail,
  accountId: string,
): Promise<RankEstimate | { why: string } | null> {
  if (run.mode !== "ranked" || (run.verdict !== "passed" && run.verdict !== "quarantined")) return null;
  const found =
    run.score === null
      ? await runTransaction(idempotent(database.db), (transaction) => scoreOfSamples(transaction, run))
      : { score: run.score };
  if ("why" in found) return found;
  const revision = await database.db
    .selectFrom("board_revision")
    .select("revision")
    .where("problem_version", "=", run.problemVersion)
    .where("target", "=", run.target)
    .executeTakeFirst();
  const board = await findBoard(database, identity, run.board, run.target, revision?.revision);
  if (board === null) return { why: "its board no longer exists" };
  return estimateRank(board.rows, accountId, found.score);
}
