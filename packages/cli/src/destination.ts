/** Which board and which targets a file goes to: by option, by directive in the file, by what the server has, by asking. */
import { KernelBotError, readDirectives, type BoardSummary, type Client } from "@kernelbot/core";
import { Interrupted, UsageError } from "./exit.ts";
import { cleaned, listed } from "./text.ts";

export interface Destination {
  board: string;
  targets: string[];
}

/**
 * Finds the destination. What is not told is chosen where there is one choice, asked for where somebody can answer.
 * @throws UsageError that lists what there is, where nobody can be asked.
 */
export async function findDestination(
  client: Client,
  source: string,
  options: { board: string | undefined; targets: readonly string[] },
): Promise<Destination> {
  const { board, targets } = wantedDestination(source, options);
  if (board !== undefined && targets.length > 0) return { board, targets };

  const boards: BoardSummary[] = cleaned(await client.boards());
  const chosen = board ?? (await chooseBoard(boards));
  if (targets.length > 0) return { board: chosen, targets };
  const known = targetsOf(boards, chosen);
  const offered = known.length > 0 ? known : await unlistedTargets(client, chosen);
  return { board: chosen, targets: await chooseTargets(boards, chosen, offered) };
}

/** What options and the file say, options first. */
export function wantedDestination(
  source: string,
  options: { board: string | undefined; targets: readonly string[] },
): { board: string | undefined; targets: string[] } {
  const directives = readDirectives(source);
  const targets = options.targets.length > 0 ? [...options.targets] : (directives.targets ?? []);
  return { board: options.board ?? directives.board, targets };
}

async function chooseBoard(boards: readonly BoardSummary[]): Promise<string> {
  const names = [...new Set(boards.map((each) => each.board))];
  if (names.length === 0) throw new UsageError("this server has no boards yet");
  if (!canAsk()) throw new UsageError(`say which board: --board NAME. There are ${listed(names)}`);
  const { select } = await import("@clack/prompts");
  const options = names.map((value) => ({ value, hint: listed(targetsOf(boards, value)) }));
  return answer(await select({ message: "Which board?", options, output: process.stderr }));
}

/** The targets of a board that is in no list, such as that of an unlisted competition; none where there is no such board. */
async function unlistedTargets(client: Client, board: string): Promise<string[]> {
  try {
    return Object.keys(cleaned(await client.problem(board)).spec.targets);
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
    throw new UsageError(`there is no board ${JSON.stringify(board)}; there are ${listed(names)}`);
  }
  if (targets.length === 1) return [...targets];
  if (!canAsk()) throw new UsageError(`say which target: --target NAME. ${board} has ${listed(targets)}`);
  const { multiselect } = await import("@clack/prompts");
  const options = targets.map((value) => ({ value }));
  return answer(await multiselect({ message: "Which targets?", options, required: true, output: process.stderr }));
}

function targetsOf(boards: readonly BoardSummary[], board: string): string[] {
  return boards.filter((each) => each.board === board).map((each) => each.target);
}

function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** What was chosen; Ctrl-C in a prompt is a symbol. */
function answer<T>(value: T): Exclude<T, symbol> {
  if (typeof value === "symbol") throw new Interrupted("Nothing was submitted.");
  return value as Exclude<T, symbol>;
}
