/** Reads the entries of a board that may be exported as traces. */
import { createClient, type Client } from "@kernelbot/api";
import { KernelBotError, type BoardRow, type OutputErrors, type ProblemDetail } from "@kernelbot/core";
import { UsageError } from "@kernelbot/cli/src/command/exit.ts";
import { entryOf, type Entry } from "@kernelbot/cli/src/kernel-export/entry.ts";
import { listed } from "@kernelbot/cli/src/output/text.ts";

/** Exported entry with the largest errors of each timed case; null where they are not known. */
export interface BoardResult {
  entry: Entry;
  errors: (OutputErrors | null)[];
}

export interface BoardResults {
  problem: ProblemDetail;
  target: string;
  /** Entries from the first rank on. */
  results: BoardResult[];
  /** Entries that are not exported, with the reason. */
  skipped: { submissionId: number; why: string }[];
}

/**
 * Reads a board as visitors see it, who have not signed in: an export is a publication.
 * @param top maximum number of entries
 * @throws UsageError if the board is not public, or does not have the target
 */
export async function readBoardResults(
  server: string,
  name: string,
  { target: requested, top }: { target: string | undefined; top: number },
): Promise<BoardResults> {
  const client = createClient({ server });
  const problem = await client.problem(name).catch((error: unknown) => {
    if (!(error instanceof KernelBotError) || error.code !== "not_found") throw error;
    throw new UsageError(`${error.message} among the public problems of ${server}`, { cause: error });
  });
  const target = chooseTarget(problem, requested);
  const { rows } = await client.board(name, target);
  const results: BoardResult[] = [];
  const skipped: BoardResults["skipped"] = [];
  for (const row of rows) {
    if (results.length === top) break;
    const result = await readResult({ client, server }, row, { target, problem, rows });
    if (typeof result !== "string") results.push(result);
    else skipped.push({ submissionId: row.submissionId, why: result });
  }
  return { problem, target, results, skipped };
}

/** Returns an entry, or why it is not exported. */
async function readResult(
  connection: { client: Client; server: string },
  { submissionId, runId }: BoardRow,
  board: { target: string; problem: ProblemDetail; rows: readonly BoardRow[] },
): Promise<BoardResult | string> {
  try {
    const submission = await connection.client.submission(submissionId);
    const entry = await entryOf(connection, submission, board);
    const { problemVersion } = entry.receipt;
    if (problemVersion !== board.problem.version)
      return `it was judged on the version ${problemVersion.slice(0, 16)} of the problem, and only ${board.problem.version.slice(0, 16)} is available`;
    const { stages } = await connection.client.run(runId);
    const cases = stages.find(({ stage }) => stage === "ranked")?.cases ?? [];
    return { entry, errors: cases.map(({ errors }) => errors ?? null) };
  } catch (error) {
    const isRefused = error instanceof KernelBotError && ["not_found", "forbidden"].includes(error.code);
    if (!isRefused && !(error instanceof UsageError)) throw error;
    return error.message.replace(`submission ${submissionId} cannot be exported: `, "");
  }
}

function chooseTarget({ spec, boards }: ProblemDetail, requested: string | undefined): string {
  const targets = boards.filter(({ entries }) => entries > 0).map(({ target }) => target);
  const [only, ...others] = targets.filter((target) => requested === undefined || target === requested);
  if (only === undefined) {
    const where = requested === undefined ? "" : ` on ${JSON.stringify(requested)}`;
    throw new UsageError(
      `${spec.name} has no entries${where}${targets.length > 0 ? `; it has some on ${listed(targets)}` : ""}`,
    );
  }
  if (others.length > 0)
    throw new UsageError(`--target NAME is required: ${spec.name} has entries on ${listed(targets)}`);
  return only;
}
