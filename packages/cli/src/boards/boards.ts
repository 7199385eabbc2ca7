/** Reads boards by name. */
import type { Client } from "@kernelbot/api";
import type { Board, BoardHistory } from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import { sanitize } from "../output/text.ts";

/**
 * Returns the board of one target or, without a target, the boards of all targets with entries.
 * @throws UsageError that lists the existing boards or targets when the requested one does not exist.
 */
export async function readBoards(
  client: Client,
  name: string,
  target: string | undefined,
  unfrozen = false,
  revision?: number,
): Promise<Board[]> {
  const targets = await targetsOf(client, name, target, unfrozen);
  return Promise.all(targets.map((each) => client.board(name, each, unfrozen, revision)));
}

/** Returns the histories of the same boards. @throws UsageError like `readBoards`. */
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

/**
 * Returns the targets that have entries. With `unfrozen` returns all targets, since a freeze may hide the first entry.
 */
async function targetsWithEntries(client: Client, name: string, unfrozen: boolean): Promise<string[]> {
  const all = sanitize(await client.boards());
  const own = all.filter((each) => each.board === name);
  if (own.length > 0) return own.filter((each) => unfrozen || each.entries > 0).map((each) => each.target);
  const names = [...new Set(all.map((each) => each.board))];
  throw new UsageError(
    `leaderboard ${JSON.stringify(name)} not found; existing leaderboards: ${names.join(", ") || "none"}`,
  );
}
