/** Public announcements of ranked submissions. */
import { formatRankingWords, type RunSummary, type Submission } from "@kernelbot/core";
import { findBoard } from "../../boards/boards.ts";
import { canSeeSubmission, visibilityKeyOf, STRANGER } from "../../auth/visibility.ts";
import type { Bot } from "./bot.ts";
import { code } from "./escape.ts";
import { requestedRuns } from "./progress.ts";

const PODIUM_LABELS = ["🥇 First place", "🥈 Second place", "🥉 Third place"];
/** Last rank that is announced by its number. */
const MAX_NUMBERED_RANK = 10;

/**
 * Returns the announcement; null when no ranked run passed, the submission was removed, its boards
 * show pseudonyms, or anonymous viewers may not
 * see it.
 */
export async function announcementOf(bot: Bot, submission: Submission, user: string): Promise<string | null> {
  const { id, board, mode, removed, shownAs } = submission;
  if (mode !== "ranked" || removed !== null) return null;
  // The announcement mentions the Discord user.
  if (shownAs !== undefined) return null;
  // A freeze or a closed competition hides the submission.
  if (!(await canSeeSubmission(bot.database, visibilityKeyOf(STRANGER), id))) return null;
  const passed = requestedRuns(submission).filter(({ verdict, score }) => verdict === "passed" && score !== null);
  const lines: string[] = [];
  for (const run of passed) lines.push(`> ${await announcementLine(bot, submission, run)}`);
  if (lines.length === 0) return null;
  return [`<@${user}>'s submission with id ${code(String(id))} to leaderboard ${code(board)}:`, ...lines].join("\n");
}

async function announcementLine(
  bot: Bot,
  { id, board, account }: Submission,
  { target, score }: RunSummary,
): Promise<string> {
  const found = await findBoard(bot.database, STRANGER, board, target);
  const own = found?.rows.find(({ submissionId }) => submissionId === id);
  const time = `on ${target}: ${score === null ? "–" : formatRankingWords(score)}`;
  const place = PODIUM_LABELS[(own?.rank ?? 0) - 1];
  if (place !== undefined) return `${place} ${time}`;
  if (own !== undefined && own.rank <= MAX_NUMBERED_RANK) return `${own.rank}th place ${time}`;
  if (!(await hasEarlierPassedRun(bot, { id, board, account: account.id, target })))
    return `🍾 First successful submission ${time}`;
  return own === undefined ? `Successful ${time}` : `Personal best ${time}`;
}

/** Returns whether the account already had a passed ranked run on the board before this submission. */
async function hasEarlierPassedRun(
  { database: { db } }: Bot,
  { id, board, account, target }: { id: number; board: string; account: string; target: string },
): Promise<boolean> {
  const other = await db
    .selectFrom("run")
    .innerJoin("submission as s", "s.id", "run.submission_id")
    .select("run.id")
    .where("s.account_id", "=", account)
    .where("s.problem", "=", board)
    .where("s.id", "<", id)
    .where("run.target", "=", target)
    .where("run.mode", "=", "ranked")
    .where("run.verdict", "=", "passed")
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}
