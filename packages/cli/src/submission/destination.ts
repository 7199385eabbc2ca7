/**
 * Selects board and targets of a submission: options, directives in the file, the only choice on the server, or a
 * prompt.
 */
import type { Client } from "@kernelbot/api";
import { KernelBotError, requireDirectives, sortedTargets, type BoardSummary } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { canPrompt, promptAnswer } from "../command/prompt.ts";
import { sanitize, listed } from "../output/text.ts";

const CANCELLED = "Nothing was submitted.";

export interface Destination {
  board: string;
  targets: string[];
}

/**
 * Finds the destination of a file. A missing board or target is selected if there is only one, else prompted for in a
 * terminal.
 * @throws UsageError that lists the choices when there is no terminal to prompt in.
 */
export async function findDestination(
  client: Client,
  source: string,
  options: { board: string | undefined; targets: readonly string[] },
): Promise<Destination> {
  const { board, targets } = wantedDestination(source, options);
  if (board !== undefined && targets.length > 0) return { board, targets };

  const boards: BoardSummary[] = sanitize(await client.boards());
  const chosen = board ?? (await chooseBoard(boards));
  if (targets.length > 0) return { board: chosen, targets };
  const known = targetsOf(boards, chosen);
  const offered = known.length > 0 ? known : await unlistedTargets(client, chosen);
  return { board: chosen, targets: await chooseTargets(boards, chosen, offered) };
}

/** Returns the board and targets named by options or directives in the file; options take precedence. */
export function wantedDestination(
  source: string,
  options: { board: string | undefined; targets: readonly string[] },
): { board: string | undefined; targets: string[] } {
  const directives = requireDirectives(source);
  const targets = options.targets.length > 0 ? [...options.targets] : (directives.targets ?? []);
  return { board: options.board ?? directives.board, targets };
}

async function chooseBoard(boards: readonly BoardSummary[]): Promise<string> {
  const names = [...new Set(boards.map((each) => each.board))];
  if (names.length === 0) throw new UsageError("this server has no leaderboards yet");
  if (!canPrompt()) throw new UsageError(`--board NAME is required; leaderboards: ${names.join(", ")}`);
  const { select } = await import("@clack/prompts");
  const options = names.map((value) => ({ value, hint: listed(targetsOf(boards, value)) }));
  return promptAnswer(await select({ message: "Leaderboard", options, output: process.stderr }), CANCELLED);
}

/**
 * Returns the targets of a board that the server does not list, such as a board of an unlisted competition; empty when
 * it does not exist.
 */
async function unlistedTargets(client: Client, board: string): Promise<string[]> {
  try {
    return sortedTargets(sanitize(await client.problem(board)).spec);
  } catch (error) {
    if (error instanceof KernelBotError && ["not_found", "unprocessable"].includes(error.code)) return [];
    throw error;
  }
}

async function chooseTargets(
  boards: readonly BoardSummary[],
  board: string,
  targets: readonly string[],
): Promise<string[]> {
  if (targets.length === 0) {
    const names = [...new Set(boards.map((each) => each.board))];
    throw new UsageError(
      `leaderboard ${JSON.stringify(board)} not found; existing leaderboards: ${names.join(", ") || "none"}`,
    );
  }
  if (targets.length === 1) return [...targets];
  if (!canPrompt()) throw new UsageError(`--target NAME is required; targets of ${board}: ${targets.join(", ")}`);
  const { multiselect } = await import("@clack/prompts");
  const options = targets.map((value) => ({ value }));
  const chosen = await multiselect({ message: "Targets", options, required: true, output: process.stderr });
  return promptAnswer(chosen, CANCELLED);
}

function targetsOf(boards: readonly BoardSummary[], board: string): string[] {
  return boards.filter((each) => each.board === board).map((each) => each.target);
}
