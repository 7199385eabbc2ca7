/** Collects every fault of a submission at once; the server's error contains only the first. */
import { createClient, type Client } from "@kernelbot/api";
import { KernelBotError, sortedTargets, compareTargets, type BoardSummary } from "@kernelbot/core";
import { sanitize } from "../output/text.ts";

interface RequestedRuns {
  board: string | undefined;
  targets: readonly string[];
}

/** Error codes that hide further faults. */
const FIRST_OF_SEVERAL = ["unauthorized", "forbidden", "not_found"];

/**
 * Returns the error extended by other faults of board and targets, which are readable without a token for public
 * boards.
 * @param refusal Error that ended the submission; returned unchanged unless it is such an error of the server.
 */
export async function withOtherFaults(server: string, refusal: unknown, requested: RequestedRuns): Promise<unknown> {
  if (!(refusal instanceof KernelBotError) || !FIRST_OF_SEVERAL.includes(refusal.code)) return refusal;
  const client = createClient({ server, token: undefined });
  const boards = await client.boards().catch(() => null);
  if (boards === null) return refusal;
  const others = await faultsOf(client, sanitize(boards), requested, refusal.code === "not_found");
  if (others.length === 0) return refusal;
  return new KernelBotError(refusal.code, [refusal.message, ...others].join("; and "), { cause: refusal });
}

async function faultsOf(
  client: Client,
  boards: readonly BoardSummary[],
  { board, targets }: RequestedRuns,
  isBoardReported: boolean,
): Promise<string[]> {
  const offered = board === undefined ? null : await targetsOf(client, boards, board);
  if (offered !== null) {
    const missing = targets.filter((target) => !offered.includes(target));
    return missing.length === 0
      ? []
      : [`leaderboard ${board} has no target ${quoted(missing)}; its targets: ${offered.join(", ")}`];
  }
  const known = [...new Set(boards.map(({ target }) => target))].toSorted(compareTargets);
  const unknown = targets.filter((target) => !known.includes(target));
  return [
    ...(board === undefined || isBoardReported ? [] : [`public leaderboard ${JSON.stringify(board)} not found`]),
    ...(unknown.length === 0
      ? []
      : [`no public leaderboard has the target ${quoted(unknown)}; existing targets: ${known.join(", ")}`]),
  ];
}

/** Returns the targets of a board; null when it is not readable without a token. */
async function targetsOf(client: Client, boards: readonly BoardSummary[], board: string): Promise<string[] | null> {
  const ownTargets = boards.filter((each) => each.board === board).map(({ target }) => target);
  if (ownTargets.length > 0) return ownTargets;
  const unlisted = await client.problem(board).catch(() => null);
  return unlisted === null ? null : sortedTargets(sanitize(unlisted).spec);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(", ");
}
