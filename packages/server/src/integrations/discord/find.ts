/** Finds boards and targets by the names that users type. */
import { KernelBotError, quote } from "@kernelbot/core";
import { noProblem, type Viewer } from "../../auth/visibility.ts";
import { noBoard } from "../../submissions/refusal.ts";
import { listProblems, readProblem } from "../../problems/problems.ts";
import { viewerOf } from "./accounts.ts";
import type { Bot } from "./bot.ts";
import { needed, type OptionSpec } from "./command.ts";

export type FoundProblem = NonNullable<Awaited<ReturnType<typeof readProblem>>>;

/** Returns the problem of a board, ignoring case. @throws KernelBotError `not_found`. */
export async function boardNamed({ database }: Bot, viewer: Viewer, name: string): Promise<FoundProblem> {
  // Stored names are in lower case.
  const found = await readProblem(database, viewer, name.trim().toLowerCase());
  if (found === null) throw await noBoard(database, viewer, name);
  return found;
}

/** Like `boardNamed`, by the problem's number, which button ids contain because they are limited in length. */
export async function boardNumbered({ database }: Bot, viewer: Viewer, number: string): Promise<FoundProblem> {
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
export function targetsNamed(
  { name, targets }: { name: string; targets: readonly string[] },
  asked: readonly string[],
) {
  return asked.map((gpu) => {
    const found = targets.find((target) => target.toLowerCase() === gpu.toLowerCase());
    if (found !== undefined) return found;
    throw new KernelBotError("unprocessable", `${name} has no GPU ${quote(gpu)}; it has ${targets.join(", ")}`);
  });
}

/** Splits a list such as `H100, cpu`. */
export function names(list: string): string[] {
  return list.split(/[\s,;]+/).filter((name) => name !== "");
}

/** Option for a board, with autocomplete of the boards that the user may see. */
export const BOARD: OptionSpec = {
  name: "leaderboard_name",
  about: "The leaderboard",
  type: "text",
  async propose({ bot, asker }, typed) {
    const problems = await listProblems(bot.database, await viewerOf(bot, asker.user));
    return matching(
      problems.filter(({ targets }) => targets.length > 0).map(({ name }) => name),
      typed,
    );
  },
};

/** Option for targets, with autocomplete of the chosen board's targets. */
export const GPU: OptionSpec = {
  name: "gpu",
  about: "The GPU, or several by commas",
  type: "text",
  async propose({ bot, asker, given }, typed) {
    const board = await boardNamed(bot, await viewerOf(bot, asker.user), needed(given.text(BOARD.name), BOARD.name));
    const chosen = typed
      .split(",")
      .slice(0, -1)
      .map((name) => name.trim());
    const last = typed.split(",").at(-1)?.trim() ?? "";
    return matching(board.targets, last)
      .filter((target) => !chosen.includes(target))
      .map((target) => [...chosen, target].join(", "))
      .filter((list) => list.length <= 100);
  },
};

/** Returns names that contain the typed text; those that begin with it come first. */
export function matching(names: readonly string[], typed: string): string[] {
  const word = typed.trim().toLowerCase();
  const place = (name: string) => name.toLowerCase().indexOf(word);
  return names.filter((name) => place(name) >= 0).toSorted((a, b) => Math.min(place(a), 1) - Math.min(place(b), 1));
}
