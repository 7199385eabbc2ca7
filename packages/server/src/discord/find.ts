/** Boards by the words that people use at Discord. */
import { KernelBotError, quote } from "@kernelbot/core";
import { noProblem, type Viewer } from "../competitions/access.ts";
import { noBoard } from "../intake/refusal.ts";
import { listProblems, readProblem } from "../problems/problems.ts";
import { viewerOf } from "./accounts.ts";
import type { Bot } from "./bot.ts";
import { needed, type OptionSpec } from "./command.ts";

export type FoundProblem = NonNullable<Awaited<ReturnType<typeof readProblem>>>;

/** The problem of a board by its name in any case. @throws KernelBotError `not_found`. */
export async function boardNamed({ database }: Bot, viewer: Viewer, name: string): Promise<FoundProblem> {
  // Our names are in lower case.
  const found = await readProblem(database, viewer, name.trim().toLowerCase());
  if (found === null) throw await noBoard(database, viewer, name);
  return found;
}

/** The same by its number, which names of buttons have, since they are short. */
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

/** The targets of a board by their names in any case. @throws KernelBotError `unprocessable` that names what there is. */
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

/** `H100, cpu` as its names. */
export function names(list: string): string[] {
  return list.split(/[\s,;]+/).filter((name) => name !== "");
}

/** The option that names a board, with proposals of those that the one who types may see. */
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

/** The option that names targets, with proposals of those of the board that is named. */
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

/** Those that begin with what was typed, then those that have it in them. */
export function matching(names: readonly string[], typed: string): string[] {
  const word = typed.trim().toLowerCase();
  const place = (name: string) => name.toLowerCase().indexOf(word);
  return names.filter((name) => place(name) >= 0).toSorted((a, b) => Math.min(place(a), 1) - Math.min(place(b), 1));
}
