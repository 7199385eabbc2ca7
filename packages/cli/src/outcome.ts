/** How a submission came out, for people and for programs. */
import { hasReceipt, type Board, type RunDetail, type Submission } from "@kernelbot/core";
import type { Connection } from "./config.ts";
import { exitOfRuns } from "./exit.ts";
import { rankWords, submissionOrigin, submissionTitle } from "./render/lists.ts";
import { runLines } from "./render/run.ts";
import { terminalOf } from "./terminal.ts";
import { cleaned, jsonDocument } from "./text.ts";

export interface OutcomeOptions {
  json: boolean;
  /** With the samples in JSON and their distribution in text. */
  samples: boolean;
}

/** Prints the submission's runs as they are now, and answers the exit code that they stand for. */
export async function printOutcome(connection: Connection, id: number, options: OutcomeOptions): Promise<number> {
  const { client, pageOf } = connection;
  const submission = await client.submission(id);
  const runs = await Promise.all(submission.runs.map((run) => client.run(run.id)));
  if (options.json) printJson(pageOf(id), submission, runs, options.samples);
  else await printText(connection, cleaned(submission), cleaned(runs), options);
  return exitOfRuns(runs);
}

/** The document that `submit`, `watch`, `show` and `eval` print; a local run has neither page nor submission. */
export function printJson(
  page: string | null,
  submission: Submission | null,
  runs: readonly Omit<RunDetail, "id" | "submissionId">[],
  samples: boolean,
): void {
  const shown = samples ? runs : runs.map((run) => ({ ...run, stages: run.stages.map(withoutSamples) }));
  process.stdout.write(`${jsonDocument({ page, submission, runs: shown })}\n`);
}

function withoutSamples(stage: RunDetail["stages"][number]) {
  return { ...stage, cases: stage.cases.map((each) => ({ ...each, rounds: undefined })) };
}

async function printText(
  connection: Connection,
  submission: Submission,
  runs: readonly RunDetail[],
  { samples }: OutcomeOptions,
): Promise<void> {
  const { style, width, print } = terminalOf(process.stdout);
  print([submissionTitle(submission, style), ...(samples ? [submissionOrigin(submission)] : [])]);
  for (const run of runs) {
    const rank = await rankOf(connection, submission, run);
    print(["", ...runLines(run, rank, { style, width, histograms: samples })]);
  }
  const receipts = samples ? runs.filter(hasReceipt).map((run) => connection.receiptOf(run.id)) : [];
  print(["", connection.pageOf(submission.id), ...receipts]);
}

/** The outcome stands without the rank, so a board that cannot be had spoils nothing. */
async function rankOf({ client }: Connection, submission: Submission, run: RunDetail): Promise<string | null> {
  if (!hasReceipt(run)) return null;
  const board: Board | null = await client.board(run.board, run.target).catch(() => null);
  return board === null ? null : rankWords(cleaned(board), submission);
}
