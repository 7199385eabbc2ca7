/** Finds boards and targets by the names that users type. */
import { KernelBotError, quote } from "@kernelbot/core";
import { noProblem, type Viewer } from "../../auth/visibility.ts";
import { unknownBoardError } from "../../submissions/refusal.ts";
import { listProblems, readProblem } from "../../problems/problems.ts";
import { viewerOf } from "./accounts.ts";
import type { Bot } from "./bot.ts";
import { requireOption, type OptionSpec } from "./command.ts";

export type FoundProblem = NonNullable<Awaited<ReturnType<typeof readProblem>>>;

/** Returns the problem of a board, ignoring case. @throws KernelBotError `not_found`. */
export async function getBoardByName({ database }: Bot, viewer: Viewer, name: string): Promise<FoundProblem> {
  // Stored names are in lower case.
  const found = await readProblem(database, viewer, name.trim().toLowerCase());
  if (found === null) throw await unknownBoardError(database, viewer, name);
  return found;
}

/** Like `getBoardByName`, by the problem's number, which button ids contain because they are limited in length. */
export async function getBoardByNumber({ database }: Bot, viewer: Viewer, number: string): Promise<FoundProblem> {
  if (!/^\d{1,15}$/.test(number)) throw noProblem(number);
  const row = await database.db
    .selectFrom("problem")
    .select("name")
    .where("number", "=", Number(number))
    .executeTakeFirst();
  const found = row === undefined ? null : await readProblem(database, viewer, row.name);
  if (found === null) throw noProblem(number);
  return found;
}

/** Returns targets of a board, ignoring case. @throws KernelBotError `unprocessable` that lists the board's targets. */
export function getTargets(
  { name, targets }: { name: string; targets: readonly string[] },
  requested: readonly string[],
) {
  return requested.map((gpu) => {
    const found = targets.find((target) => target.toLowerCase() === gpu.toLowerCase());
    if (found !== undefined) return found;
    throw new KernelBotError(
      "unprocessable",
      `the leaderboard ${name} has no GPU ${quote(gpu)}; available: ${targets.join(", ")}`,
    );
  });
}

/** Splits a list such as `H100, cpu`. */
export function splitList(list: string): string[] {
  return list.split(/[\s,;]+/).filter((name) => name !== "");
}

/** Option for a board, with autocomplete of the boards that the user may see. */
export const BOARD: OptionSpec = {
  name: "leaderboard_name",
  about: "Leaderboard",
  type: "text",
  async propose({ bot, context }, typed) {
    const problems = await listProblems(bot.database, await viewerOf(bot, context.user));
    return filterNames(
      problems.filter(({ targets }) => targets.length > 0).map(({ name }) => name),
      typed,
    );
  },
};

/** Option for targets, with autocomplete of the chosen board's targets. */
export const GPU: OptionSpec = {
  name: "gpu",
  about: "GPU, or several separated by commas",
  type: "text",
  async propose({ bot, context, options }, typed) {
    const board = await getBoardByName(
      bot,
      await viewerOf(bot, context.user),
      requireOption(options.text(BOARD.name), BOARD.name),
    );
    const chosen = typed
      .split(",")
      .slice(0, -1)
      .map((name) => name.trim());
    const last = typed.split(",").at(-1)?.trim() ?? "";
    return filterNames(board.targets, last)
      .filter((target) => !chosen.includes(target))
      .map((target) => [...chosen, target].join(", "))
      .filter((list) => list.length <= 100);
  },
};

/** Returns names that contain the typed text; those that begin with it come first. */
export function filterNames(names: readonly string[], typed: string): string[] {
  const word = typed.trim().toLowerCase();
  const place = (name: string) => name.toLowerCase().indexOf(word);
  return names.filter((name) => place(name) >= 0).toSorted((a, b) => Math.min(place(a), 1) - Math.min(place(b), 1));
}
