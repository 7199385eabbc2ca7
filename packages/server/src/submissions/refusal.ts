/** Explains why a board refused a submission, with what it would have accepted. */
import { sql } from "kysely";
import { didYouMean, KernelBotError, quote, compareTargets, type Mode } from "@kernelbot/core";
import { listProblems } from "../problems/problems.ts";
import { mayCompete, membersOnlyError } from "../competitions/participants.ts";
import type { Viewer } from "../auth/visibility.ts";
import type { Database } from "../db/database.ts";
import { isReached, LimitReached, readAllowances } from "./allowances.ts";
import type { NewSubmission } from "./new-submission.ts";

/**
 * Returns the error for a board that does not exist for the viewer. Suggestions come from the problems that the viewer
 * can list.
 */
export async function unknownBoardError(database: Database, viewer: Viewer, board: string): Promise<KernelBotError> {
  const listed = await listProblems(database, viewer);
  const hint = didYouMean(
    board,
    listed.map(({ name }) => name),
  );
  return new KernelBotError("not_found", `board ${quote(board)} not found${hint}`);
}

/** Returns the error for a submission that an existing board refused. */
export async function refusalError(database: Database, item: Refused): Promise<KernelBotError> {
  const { db } = database;
  const { problem: board, targets, mode, account_id: accountId } = item;
  const [boards, rules] = await Promise.all([
    db.selectFrom("board").select("target").where("problem", "=", board).where("accepts", "=", true).execute(),
    rulesOf(database, board, accountId),
  ]);
  const offered = boards.map((row) => row.target).toSorted(compareTargets);
  if (offered.length === 0) {
    return new KernelBotError("conflict", `the board ${board} was removed and no longer accepts submissions`);
  }
  const unknown = targets.filter((target) => !offered.includes(target)).map(quote);
  if (unknown.length > 0) {
    return new KernelBotError(
      "unprocessable",
      `the board ${board} has no target ${unknown.join(", ")}; it has ${offered.join(", ")}`,
    );
  }
  if (rules.competition !== null && !rules.may_take_part) return membersOnlyError(rules.competition);
  return (mode === "ranked" ? notRanked(item, rules) : null) ?? overLimit(database, item);
}

type Refused = Pick<NewSubmission, "account_id" | "targets" | "entered_by"> & { problem: string; mode: Mode };

type Rules = Awaited<ReturnType<typeof rulesOf>>;

/** Reads the rules of a board that apply to an account. */
function rulesOf({ db }: Database, board: string, accountId: string) {
  return db
    .selectFrom("problem")
    .innerJoin("problem_window as w", "w.problem", "problem.name")
    .leftJoin("competition", "competition.name", "problem.competition")
    .select(["competition.name as competition", "w.opens_at", "w.closes_at", "w.targets"])
    .select(mayCompete(accountId).as("may_take_part"))
    .select(sql<Date | null>`course_closes_at(competition.name, problem.name, ${accountId})`.as("due_until"))
    .where("problem.name", "=", board)
    .executeTakeFirstOrThrow();
}

/** Returns the error if the board does not accept ranked submissions now; null if it does. */
function notRanked(
  { problem: board, targets, entered_by: organiser = null }: Refused,
  { competition, targets: entered, opens_at: opensAt, closes_at: closesAt, due_until: dueUntil }: Rules,
): KernelBotError | null {
  const outside = entered === null ? [] : targets.filter((target) => !entered.includes(target));
  if (entered !== null && outside.length > 0) {
    return new KernelBotError(
      "conflict",
      `${board} on ${outside.join(", ")} is not a board of ${competition}, which ranks it on ${entered.join(", ")}; modes test and benchmark remain available`,
    );
  }
  const now = Date.now();
  const when =
    opensAt !== null && opensAt.getTime() > now
      ? `opens at ${opensAt.toISOString()} and does not accept ranked submissions before`
      : organiser === null && closesAt !== null && closesAt.getTime() <= now
        ? `was closed at ${closesAt.toISOString()} and no longer accepts ranked submissions`
        : organiser === null && dueUntil !== null && dueUntil.getTime() <= now
          ? `accepted ranked submissions from you until ${dueUntil.toISOString()}; ask the organiser for an extension`
          : null;
  return when === null
    ? null
    : new KernelBotError("conflict", `the board ${board} ${when}; modes test and benchmark remain available`);
}

/** Returns the error for a reached limit. */
async function overLimit(
  database: Database,
  { account_id: accountId, mode, problem: board, targets }: Refused,
): Promise<KernelBotError> {
  const allowances = await readAllowances(database, accountId, board, [mode]);
  if (allowances.some((allowance) => isReached(allowance, targets))) {
    return new LimitReached(board, targets, allowances, new Date());
  }
  // The rules changed, or usage dropped, after the submission was refused.
  return new KernelBotError("unavailable", `the board ${board} has changed in the meantime; submit again`);
}
