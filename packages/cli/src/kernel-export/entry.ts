/** Reads an entry that may be exported: licensed, confirmed on its leaderboard, and with a valid receipt. */
import {
  checkReceipt,
  hasReceipt,
  languageOf,
  parseExactJson,
  compareTargets,
  type BoardRow,
  type Language,
  type Licence,
  type ProblemDetail,
  type Receipt,
  type Submission,
} from "@kernelbot/core";
import { UsageError } from "../command/exit.ts";
import type { Connection } from "../config/config.ts";
import { listed } from "../output/text.ts";
import { backendOf, type Backend } from "./backend.ts";

export interface Entry {
  submission: Submission;
  licence: Licence;
  language: Language;
  row: BoardRow;
  /** Number of entries on the leaderboard. */
  entries: number;
  problem: ProblemDetail;
  source: string;
  /** The signed receipt as the server returned it, and its content. */
  receiptText: string;
  receipt: Receipt;
  backend: Backend;
  /** Address of the server. */
  server: string;
}

/**
 * Reads the entry of a submission on a target; the server returns only what the caller may see.
 * @throws UsageError that lists everything that prevents the export.
 */
export async function readEntry(connection: Connection, id: number, target: string | undefined): Promise<Entry> {
  const { client } = connection;
  const submission = await client.submission(id);
  const { board } = submission;
  const on = chooseTarget(submission, target);
  const [problem, { rows }] = await Promise.all([client.problem(board), client.board(board, on)]);
  return entryOf(connection, submission, { target: on, problem, rows });
}

/**
 * Returns the entry of a submission on a board.
 * @throws UsageError that lists everything that prevents the export.
 */
export async function entryOf(
  { client, server }: Pick<Connection, "client" | "server">,
  submission: Submission,
  { target: on, problem, rows }: { target: string; problem: ProblemDetail; rows: readonly BoardRow[] },
): Promise<Entry> {
  const { id, mode, board, licence } = submission;
  const row = rows.find(({ submissionId }) => submissionId === id);
  const run = submission.runs.find((each) => each.id === row?.runId);
  const faults = [
    ...(licence === null ? [`it has no licence; its author sets one with kernelbot licence ${id} LICENCE`] : []),
    ...(submission.anonymous === true
      ? [
          `its author publishes under a pseudonym, and the receipt names the account; they allow it with kernelbot licence ${id} LICENCE --named`,
        ]
      : []),
    ...(row === undefined
      ? [`it is not an entry on the leaderboard ${board} on ${on}: only the best run of each account is`]
      : []),
    ...(row?.verification === "provisional" ? [provisionalFault(id, row)] : []),
    ...(row?.unsandboxed === true ? ["it was judged without a sandbox, so its result proves nothing"] : []),
    ...(problem.spec.harness === "judge"
      ? []
      : [`${board} is not judged by KernelBot's judge, so it has no checks to export`]),
    ...(problem.spec.worldSize === undefined ? [] : [`${board} runs on several ranks at once`]),
    ...(run !== undefined && !hasReceipt({ ...run, mode }) ? ["it has no receipt"] : []),
  ];
  if (licence === null || row === undefined || faults.length > 0) {
    throw new UsageError(`submission ${id} cannot be exported: ${faults.join("; ")}`);
  }
  const [source, receiptText, keys] = await Promise.all([client.source(id), client.receipt(row.runId), client.keys()]);
  const { receipt, checks } = await checkReceipt(parseExactJson(receiptText), {
    keys,
    source: new TextEncoder().encode(source),
  });
  const invalid = checks.filter(({ ok }) => ok === false);
  if (invalid.length > 0) {
    const why = invalid.map(({ name, detail }) => `${name}: ${detail}`).join("; ");
    throw new UsageError(`submission ${id} cannot be exported: its receipt is not valid: ${why}`);
  }
  const backend = backendOf(receipt);
  const language = languageOf(submission.fileName);
  if (backend === null || language === null) {
    throw new UsageError(
      `submission ${id} cannot be exported: its machine reports neither CUDA nor HIP, so its backend is unknown`,
    );
  }
  return {
    submission,
    licence,
    language,
    row,
    entries: rows.length,
    problem,
    source,
    receiptText,
    receipt,
    backend,
    server,
  };
}

/** Returns the target on which a submission passed. @throws UsageError if there is none, or several to choose from. */
function chooseTarget({ id, mode, runs }: Submission, target: string | undefined): string {
  const passed = runs.filter(({ verdict, imported }) => hasReceipt({ mode, verdict, imported }));
  const targets = [...new Set(passed.map((run) => run.target))].filter(
    (each) => target === undefined || each === target,
  );
  const [first] = targets;
  if (first === undefined) {
    const where = target === undefined ? "" : ` on ${JSON.stringify(target)}`;
    throw new UsageError(`submission ${id} cannot be exported: it has no ranked run that passed${where}`);
  }
  if (targets.length > 1)
    throw new UsageError(
      `--target NAME is required: submission ${id} passed on ${listed(targets.toSorted(compareTargets))}`,
    );
  return first;
}

/** Returns what confirms a provisional entry: a re-run, or, where it was run again, its result in use. */
function provisionalFault(id: number, { enteredBy }: BoardRow): string {
  return enteredBy === null
    ? `its entry is provisional; a moderator confirms it by a re-run: kernelbot admin rerun --submission ${id}`
    : "its entry is provisional; its problem requires that its kernel is validated in use";
}

/** Returns the ending of a submitted file, in lower case. */
export function extensionOf(fileName: string): string {
  return /\.[a-z]+$/i.exec(fileName)?.[0].toLowerCase() ?? "";
}
