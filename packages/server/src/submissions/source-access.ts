/**
 * Access to the source of a submission: its author, moderators, and other viewers once the rule of its competition
 * allows it or the KernelBench entry that it belongs to is published.
 */
import { sql } from "kysely";
import { KernelBotError } from "@kernelbot/core";
import { published, reachable, type Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { hasRole } from "../auth/identity.ts";

/**
 * Returns why a viewer cannot read the source of a submission; null if it can. Other viewers can only read sources of
 * entries on a board: in a competition according to its rule, in practice if the author has chosen a licence. The rule under
 * which the submission was made applies too, so that no later rule or competition publishes more than it did.
 */
export async function sourceRefusal({ db }: Database, viewer: Viewer, id: number): Promise<KernelBotError | null> {
  const row = await db
    .selectFrom("submission")
    .innerJoin("problem", "problem.name", "submission.problem")
    .innerJoin("problem_window as w", "w.problem", "submission.problem")
    .leftJoin("competition", "competition.name", "problem.competition")
    .select(["submission.account_id", "submission.licence", "competition.code_visibility", "w.closes_at"])
    .select(["submission.code_visibility as made_under", "submission.contents_deleted_at"])
    // A submission of a competition that the problem has left waits for no end.
    .select(sql<boolean>`coalesce(w.closes_at <= now(), competition.name is null)`.as("closed"))
    .select(
      sql<boolean>`exists (select from board_entry e where e.problem = submission.problem
          and e.account_id = submission.account_id and e.submission_id = submission.id)`.as("on_board"),
    )
    .select(sql<boolean>`(submission.removed_at is null and ${published("submission.id")})`.as("published"))
    .where("submission.id", "=", id)
    .where("submission.is_evaluation", "=", false)
    .where(reachable(viewer, "problem.competition"))
    .executeTakeFirst();
  const mine = viewer !== undefined && (row?.account_id === viewer.account.id || hasRole(viewer, "moderator"));
  if (row !== undefined && (mine || row.published)) return deletion(id, row);
  // The existence of submissions that are not on a board is not revealed. Removed submissions are on no board.
  if (row === undefined || !row.on_board) return new KernelBotError("not_found", `submission ${id} not found`);
  const { closed, closes_at: closesAt, made_under: madeUnder, code_visibility: rule, licence } = row;
  const isOpen = (ended: boolean) =>
    [madeUnder, rule].every((each) =>
      each === null ? licence !== null : each === "always" || (each === "after_end" && ended),
    );
  if (isOpen(closed)) return deletion(id, row);
  const until = isOpen(true) && closesAt !== null ? ` until ${closesAt.toISOString()}` : "";
  return new KernelBotError("forbidden", `the source of submission ${id} is visible only to its author${until}`);
}

function deletion(
  id: number,
  { contents_deleted_at: at }: { contents_deleted_at: Date | null },
): KernelBotError | null {
  return at === null
    ? null
    : new KernelBotError("gone", `the source of submission ${id} was deleted at ${at.toISOString()}`);
}
