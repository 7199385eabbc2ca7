/** Results of a submission, for the terminal and as JSON. */
import { join } from "node:path";
import {
  hasReceipt,
  formatRemoval,
  formatWaitingTargets,
  type Board,
  type RunDetail,
  type Submission,
} from "@kernelbot/core";
import { fromServer, kept, saveArtifacts, textOf, type Source } from "./artifacts.ts";
import type { Connection } from "../config/config.ts";
import { exitOfRuns } from "../command/exit.ts";
import { artifactLines } from "../render/artifacts.ts";
import { duelLines, duelNames } from "../render/duel.ts";
import { rankWords, submissionOrigin, submissionTitle } from "../render/lists.ts";
import { runLines } from "../render/run.ts";
import { transcriptHeadline } from "../render/transcript.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument, oneLine, wrap } from "../output/text.ts";

interface OutcomeOptions {
  json: boolean;
  /** Whether to include samples in JSON and their histogram in text. */
  samples: boolean;
  /** Folder to save artifacts in; if several runs have artifacts, each gets a subfolder named after its target. */
  out: string | undefined;
}

/** Prints the current results of a submission's runs. Returns their exit code. */
export async function printOutcome(connection: Connection, id: number, options: OutcomeOptions): Promise<number> {
  const { client, pageOf } = connection;
  const submission = await client.submission(id);
  const runs = await Promise.all(submission.runs.map((run) => client.run(run.id)));
  const left = runs.filter((run) => kept(run).length > 0);
  const folderOf = (run: RunDetail): string | null =>
    options.out === undefined ? null : left.length > 1 ? join(options.out, run.target) : options.out;
  for (const run of left) {
    const folder = folderOf(run);
    if (folder !== null) await saveArtifacts(folder, kept(run), fromServer(client, run));
  }
  if (options.json) printJson(pageOf(id), submission, runs, options.samples);
  else await printText(connection, sanitize(submission), sanitize(runs), options, folderOf);
  return exitOfRuns(runs);
}

/** Prints a submission that is not watched. */
export function printAccepted(
  { pageOf }: Connection,
  submission: Submission,
  { json, limits, next }: { json: boolean; limits: readonly string[]; next: string },
): void {
  const { id, mode, runs } = submission;
  if (json) return printJson(pageOf(id), submission, [], false);
  const queued = `${mode === "duel" ? "Duel" : "Submission"} ${id} is queued. ${next}`;
  terminalOf(process.stdout).print([queued, ...formatWaitingTargets(runs, new Date()), pageOf(id), ...limits]);
}

/**
 * Prints the JSON document of `submit`, `watch`, `show` and `eval`. `page` and `submission` are null for a local run.
 */
export function printJson(
  page: string | null,
  submission: Submission | null,
  runs: readonly Omit<RunDetail, "id" | "submissionId" | "mode">[],
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
  folderOf: (run: RunDetail) => string | null,
): Promise<void> {
  const { style, width, print } = terminalOf(process.stdout);
  print([
    submissionTitle(submission, style),
    ...(samples ? [submissionOrigin(submission)] : []),
    ...(submission.removed === null ? [] : wrap(oneLine(formatRemoval(submission.removed)), width).map(style.yellow)),
  ]);
  for (const run of runs) {
    const rank = await rankOf(connection, submission, run);
    const page = { style, width, histograms: samples };
    const folder = folderOf(run);
    const where = folder === null ? `To save them: kernelbot show ${submission.id} --out DIR` : `saved in ${folder}`;
    const texts = await textsOf(run, fromServer(connection.client, run));
    const duel = run.duel === null ? [] : duelLines(run.duel, duelNames(submission), page);
    print(["", ...runLines(run, rank, page), ...duel, ...artifactLines(run.artifacts, texts, where, page)]);
  }
  const receipts = samples ? runs.filter(hasReceipt).map((run) => connection.receiptOf(run.id)) : [];
  const transcript = samples ? await transcriptLine(connection, submission.id) : [];
  print(["", connection.pageOf(submission.id), ...receipts, ...transcript]);
}

/** Returns a line about the attached transcript; none if the submission has none that the caller may read. */
async function transcriptLine({ client }: Connection, id: number): Promise<string[]> {
  const transcript = await client.sessions.transcriptOf(id).catch(() => null);
  if (transcript === null) return [];
  return [`Transcript: ${transcriptHeadline(transcript)}; to print it: kernelbot transcript ${id}`];
}

/** Returns the text artifacts by name, without control characters. */
export async function textsOf(run: Pick<RunDetail, "artifacts">, source: Source): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const artifact of kept(run)) {
    if (artifact.mediaType === "text/plain") texts.set(artifact.name, sanitize(await textOf(artifact, source)));
  }
  return texts;
}

/** Returns the run's rank as text. The rank is optional, so a failed request for the board is ignored. */
async function rankOf({ client }: Connection, submission: Submission, run: RunDetail): Promise<string | null> {
  if (!hasReceipt(run)) return null;
  const board: Board | null = await client.board(run.board, run.target).catch(() => null);
  return board === null ? null : rankWords(sanitize(board), submission);
}
