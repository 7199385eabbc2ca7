/** The boards that a name stands for. */
import type { Board, BoardHistory, Client } from "@kernelbot/core";
import { UsageError } from "./exit.ts";
import { cleaned, listed } from "./text.ts";

/**
 * The board of one target, or those of all targets with entries.
 * @throws UsageError that lists what there is, where there is no such board.
 */
export async function readBoards(
  client: Client,
  name: string,
  target: string | undefined,
  unfrozen = false,
  edition?: number,
): Promise<Board[]> {
  const targets = await targetsOf(client, name, target, unfrozen);
  return Promise.all(targets.map((each) => client.board(name, each, unfrozen, edition)));
}

/** The histories of the same boards. @throws UsageError as `readBoards`. */
export async function readHistories(client: Client, name: string, target: string | undefined): Promise<BoardHistory[]> {
  return Promise.all((await targetsOf(client, name, target)).map((each) => client.boardHistory(name, each)));
}

async function targetsOf(
  client: Client,
  name: string,
  target: string | undefined,
  unfrozen = false,
): Promise<string[]> {
  return target === undefined ? targetsWithEntries(client, name, unfrozen) : [target];
}

/** All where what a freeze hides is asked for: it may hide the first entry. */
async function targetsWithEntries(client: Client, name: string, unfrozen: boolean): Promise<string[]> {
  const all = cleaned(await client.boards());
  const own = all.filter((each) => each.board === name);
  if (own.length > 0) return own.filter((each) => unfrozen || each.entries > 0).map((each) => each.target);
  const names = [...new Set(all.map((each) => each.board))];
  throw new UsageError(`there is no board ${JSON.stringify(name)}; there are ${listed(names)}`);
}
