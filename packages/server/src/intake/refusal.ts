/** Why a board did not take a submission, with what it would have taken. */
import { KernelBotError, quote, type Mode } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";
import { closest } from "./closest.ts";

export async function refusal(
  { db }: Database,
  { board, targets, mode }: { board: string; targets: readonly string[]; mode: Mode },
): Promise<KernelBotError> {
  const boards = await retrying(() =>
    db
      .selectFrom("board")
      .innerJoin("problem", "problem.name", "board.problem")
      .select(["problem", "target", "closed_at"])
      .where("accepts", "=", true)
      .orderBy("target")
      .execute(),
  );
  const own = boards.filter((row) => row.problem === board);
  const offered = own.map((row) => row.target);
  if (offered.length === 0) {
    const names = closest(board, [...new Set(boards.map((row) => row.problem))]);
    const hint = names.length > 0 ? `; did you mean ${names.join(" or ")}?` : "";
    return new KernelBotError("not_found", `there is no board ${quote(board)}${hint}`);
  }
  const unknown = targets.filter((target) => !offered.includes(target)).map(quote);
  const closedAt = own[0]?.closed_at ?? null;
  if (unknown.length === 0 && mode === "ranked" && closedAt !== null) {
    return new KernelBotError(
      "conflict",
      `the board ${board} was closed at ${closedAt.toISOString()} and takes no ranked submissions any more; ` +
        "the modes test and benchmark go on",
    );
  }
  return new KernelBotError(
    "unprocessable",
    `the board ${board} has no target ${unknown.join(", ")}; it has ${offered.join(", ")}`,
  );
}
