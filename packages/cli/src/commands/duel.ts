import type { Client } from "@kernelbot/api";
import { languageFor, type Submission } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { findDestination } from "../submission/destination.ts";
import { EXIT, exitOfRuns, UsageError } from "../command/exit.ts";
import { RUNNER_TIMEOUT_OPTION, runnerTimeoutMs } from "../submission/runner-wait.ts";
import { watchToEnd } from "../submission/watch.ts";
import { checkTarget, judgeLocally, type LocalOptions } from "../local-judge/local-judge.ts";
import { printAccepted, printJson } from "../submission/results.ts";
import { duelLines, duelNames } from "../render/duel.ts";
import { runLines } from "../render/run.ts";
import { readSource, type SourceFile } from "../submission/source-file.ts";
import { mayRead, NO_SCOPE_READ, retryNotice, submitWithRetry } from "../submission/submit.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize } from "../output/text.ts";

export const command = defineCommand({
  name: "duel",
  positionals: ["A", "B"],
  options: {
    problem: {
      type: "string",
      short: "p",
      value: "DIR",
      help: "Judge on this machine, with the problem in this folder",
    },
    board: { type: "string", short: "b", value: "NAME", help: "Judge on a runner of this leaderboard" },
    target: { type: "string", short: "t", value: "NAME", help: "Target to run on (default with --problem: cpu)" },
    "unsafe-no-sandbox": {
      type: "boolean",
      help: "With --problem: run both with all your permissions; only for code that you trust",
    },
    "no-wait": { type: "boolean", help: "On a leaderboard: submit and exit without watching" },
    ...RUNNER_TIMEOUT_OPTION,
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Runs A and B in turn in one session and reports which is faster, by how much, and with which confidence. A and B are " +
      "files, or numbers of submissions whose code you may read; write ./12 for a file named 12. Without --problem and " +
      "--board, directives in the files or the submissions select the leaderboard. A duel changes no leaderboard.",
    "Exits with 0 whichever is faster, and with 1 if one of them failed.",
  ],
  run: async (
    { problem, board, target, server, "no-wait": noWait, "runner-timeout": runnerTimeout, json, ...options },
    a,
    b,
  ) => {
    if (problem !== undefined && board !== undefined) throw new UsageError("use --problem or --board, not both");
    const timeoutMs = runnerTimeoutMs(runnerTimeout);
    const unsafeNoSandbox = options["unsafe-no-sandbox"];
    const read = async (text: string): Promise<Side> => {
      if (!/^\d+$/.test(text)) return { ...(await readSource(text)), submission: null };
      return readSubmission((await connect(server)).client, Number(text));
    };
    const [one, other] = [await read(a), await read(b)];
    if (problem !== undefined) return duelLocally(one, other, problem, target, { unsafeNoSandbox, json });

    const connection = await connect(server);
    const { client } = connection;
    const from = one.submission ?? other.submission;
    const destination = await findDestination(client, from === null ? one.source : "", {
      board: board ?? from?.board,
      targets: target === undefined ? (from?.runs.map((run) => run.target) ?? []) : [target],
    });
    const rival = { fileName: other.fileName, source: other.source };
    const request = { ...destination, mode: "duel", fileName: one.fileName, source: one.source, rival } as const;
    const submission = await submitWithRetry(client, request, () => console.error(retryNotice(connection.server)));
    const isReadable = noWait || (await mayRead(client, submission));
    if (noWait || !isReadable) {
      const next = isReadable ? `To watch it: kernelbot watch ${submission.id}` : NO_SCOPE_READ;
      printAccepted(connection, submission, { json, limits: [], next });
      return EXIT.passed;
    }
    return watchToEnd(connection, submission, { json, runnerTimeoutMs: timeoutMs, out: undefined });
  },
});

/** Source file and the submission that it was read from, null for a local file. */
interface Side extends SourceFile {
  submission: Submission | null;
}

async function readSubmission(client: Client, id: number): Promise<Side> {
  const submission = await client.submission(id);
  return { fileName: submission.fileName, source: await client.source(id), submission };
}

async function duelLocally(
  one: SourceFile,
  other: SourceFile,
  directory: string,
  requested: string | undefined,
  options: LocalOptions,
): Promise<number> {
  const { DEFAULT_TARGET, loadProblemDirectory } = await import("@kernelbot/tester");
  const problem = await loadProblemDirectory(directory, { target: requested });
  const target = requested ?? DEFAULT_TARGET;
  checkTarget(problem, target);
  if (problem.spec.harness === "legacy") {
    throw new UsageError(`${problem.spec.name} has its own harness, which does not support duels`);
  }
  const language = languageFor(problem.spec, one.fileName, [target]);
  const rival = { source: other.source, language: languageFor(problem.spec, other.fileName, [target]) };
  const run = await judgeLocally({ mode: "duel", target, problem, source: one.source, language, rival }, options);
  if (options.json) printJson(null, null, [run], true);
  else {
    const { style, width, print } = terminalOf(process.stdout);
    const page = { style, width, histograms: false };
    const shown = sanitize(run);
    const names = duelNames(sanitize({ fileName: one.fileName, rival: { fileName: other.fileName, sourceHash: "" } }));
    print([
      `${style.bold(run.board)}, mode duel, judged on this machine`,
      "",
      ...runLines(shown, null, page),
      ...(shown.duel === null ? [] : duelLines(shown.duel, names, page)),
    ]);
  }
  return exitOfRuns([run]);
}
