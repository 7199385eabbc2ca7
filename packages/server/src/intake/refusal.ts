/** Why a board did not take a submission, with what it would have taken. */
import { KernelBotError, quote, type Mode } from "@kernelbot/core";
import { listProblems } from "../problems/problems.ts";
import type { Viewer } from "../competitions/access.ts";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";
import { closest } from "./closest.ts";

/** Of a board that this one does not find; the names that come near it are from his list. */
export async function noBoard(database: Database, viewer: Viewer, board: string): Promise<KernelBotError> {
  const listed = await listProblems(database, viewer);
  const names = closest(
    board,
    listed.map(({ name }) => name),
  );
  const hint = names.length > 0 ? `; did you mean ${names.join(" or ")}?` : "";
  return new KernelBotError("not_found", `there is no board ${quote(board)}${hint}`);
}

/** Of a board that is there. */
export async function refusal(
  { db }: Database,
  { board, targets, mode }: { board: string; targets: readonly string[]; mode: Mode },
): Promise<KernelBotError> {
  const [boards, window] = await retrying(() =>
    Promise.all([
      db
        .selectFrom("board")
        .select("target")
        .where("problem", "=", board)
        .where("accepts", "=", true)
        .orderBy("target")
        .execute(),
      db.selectFrom("problem_window").selectAll().where("problem", "=", board).executeTakeFirst(),
    ]),
  );
  const offered = boards.map((row) => row.target);
  if (offered.length === 0) {
    return new KernelBotError("conflict", `the board ${board} was taken away and takes no submissions any more`);
  }
  const unknown = targets.filter((target) => !offered.includes(target)).map(quote);
  if (unknown.length === 0 && mode === "ranked" && window !== undefined) {
    const { opens_at: opensAt, closes_at: closesAt } = window;
    const when =
      opensAt !== null && opensAt.getTime() > Date.now()
        ? `opens at ${opensAt.toISOString()} and takes no ranked submissions before`
        : `was closed at ${closesAt?.toISOString()} and takes no ranked submissions any more`;
    return new KernelBotError("conflict", `the board ${board} ${when}; the modes test and benchmark go on`);
  }
  return new KernelBotError(
    "unprocessable",
    `the board ${board} has no target ${unknown.join(", ")}; it has ${offered.join(", ")}`,
  );
}
