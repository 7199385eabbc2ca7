/** Why a board did not take a submission, with what it would have taken. */
import { KernelBotError, quote } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { retrying } from "../db/retry.ts";
import { closest } from "./closest.ts";

export async function refusal({ db }: Database, board: string, targets: readonly string[]): Promise<KernelBotError> {
  const boards = await retrying(() =>
    db.selectFrom("board").select(["problem", "target"]).where("accepts", "=", true).orderBy("target").execute(),
  );
  const offered = boards.filter((row) => row.problem === board).map((row) => row.target);
  if (offered.length === 0) {
    const names = closest(board, [...new Set(boards.map((row) => row.problem))]);
    const hint = names.length > 0 ? `; did you mean ${names.join(" or ")}?` : "";
    return new KernelBotError("not_found", `there is no board ${quote(board)}${hint}`);
  }
  const unknown = targets.filter((target) => !offered.includes(target)).map(quote);
  return new KernelBotError(
    "unprocessable",
    `the board ${board} has no target ${unknown.join(", ")}; it has ${offered.join(", ")}`,
  );
}
