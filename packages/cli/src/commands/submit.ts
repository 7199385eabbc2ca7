import { SINGLE_MODES } from "@kernelbot/core";
import { sessionId } from "../command/arguments.ts";
import { checkOut } from "../submission/artifacts.ts";
import { declaredAuthor } from "../submission/author.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { findDestination, wantedDestination } from "../submission/destination.ts";
import { EXIT } from "../command/exit.ts";
import { RUNNER_TIMEOUT_OPTION, runnerTimeoutMs } from "../submission/runner-wait.ts";
import { watchToEnd } from "../submission/watch.ts";
import { printAccepted } from "../submission/results.ts";
import { readSource } from "../submission/source-file.ts";
import { withOtherFaults } from "../submission/submit-errors.ts";
import { mayRead, NO_SCOPE_READ, remainingLimits, retryNotice, submitWithRetry } from "../submission/submit.ts";
import { toLicence } from "./licence.ts";
import { terminalOf } from "../output/terminal.ts";

export const command = defineCommand({
  name: "submit",
  positionals: ["FILE"],
  options: {
    board: { type: "string", short: "b", value: "NAME", help: "Leaderboard: the name of a problem" },
    target: { type: "string", short: "t", value: "NAME", multiple: true, help: "Target to run on" },
    mode: { type: "string", short: "m", choices: SINGLE_MODES, default: "test", help: "What to run" },
    out: { type: "string", short: "o", value: "DIR", help: "Save the files of a profile in DIR" },
    author: { type: "string", value: "KIND", help: "Who wrote the kernel: human, assisted or autonomous" },
    model: { type: "string", value: "NAME", help: "Name of the model that assisted or wrote it" },
    licence: { type: "string", value: "SPDX", help: "Licence for publication, such as MIT, or none" },
    anonymous: { type: "boolean", help: "Publish it under a pseudonym" },
    session: { type: "string", value: "ID", help: "Evaluation session whose transcript is attached" },
    "no-wait": { type: "boolean", help: "Submit and exit without watching" },
    ...RUNNER_TIMEOUT_OPTION,
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Modes: test checks correctness, within seconds; benchmark also measures the runtime; ranked does both on fresh inputs " +
      "and enters the leaderboard; profile records a profile; application runs the problem's application with the kernel, to show " +
      "whether it works in use.",
    "FILE - is standard input. Directives in the file can name the leaderboard and the target:\n" +
      "    #!KERNELBOT board vectoradd\n" +
      "    #!KERNELBOT target cpu\n" +
      "#!POPCORN leaderboard and gpu are equivalent; C++ uses //! in place of #!. A leaderboard with one target needs no " +
      "--target.",
    "Declare who wrote the kernel with --author and --model, with KERNELBOT_AUTHOR and KERNELBOT_MODEL, or with " +
      "directives:\n" +
      "    #!KERNELBOT author autonomous\n" +
      "    #!KERNELBOT model NAME",
    "Ctrl-C stops watching, not the submission: kernelbot watch resumes, kernelbot cancel cancels it. Watching also ends, " +
      "with exit code 3, when no runner was connected for --runner-timeout minutes; the submission stays queued. With a token " +
      "that lacks the scope read, the command submits and exits as with --no-wait.",
  ],
  run: async (
    {
      board,
      target,
      mode,
      out,
      author,
      model,
      licence,
      anonymous,
      session,
      "no-wait": noWait,
      "runner-timeout": runnerTimeout,
      json,
      server,
    },
    file,
  ) => {
    const timeoutMs = runnerTimeoutMs(runnerTimeout);
    checkOut(out, mode);
    const { fileName, source } = await readSource(file);
    const connection = await connect(server);
    const { client } = connection;
    const rethrow = async (error: unknown): Promise<never> => {
      throw await withOtherFaults(connection.server, error, wantedDestination(source, { board, targets: target }));
    };
    const destination = await findDestination(client, source, { board, targets: target }).catch(rethrow);
    const declared = {
      ...declaredAuthor(source, { author, model }),
      ...(licence !== undefined && { licence: toLicence(licence) }),
      ...(anonymous && { anonymous }),
      ...(session !== undefined && { session: sessionId(session) }),
    };
    const { print } = terminalOf(process.stdout);
    const submission = await submitWithRetry(client, { ...destination, mode, fileName, source, ...declared }, () =>
      console.error(retryNotice(connection.server)),
    ).catch(rethrow);
    const limits = json ? [] : await remainingLimits(client, submission);
    if (noWait) {
      printAccepted(connection, submission, { json, limits, next: `To watch it: kernelbot watch ${submission.id}` });
      return EXIT.passed;
    }
    if (!(await mayRead(client, submission))) {
      printAccepted(connection, submission, { json, limits, next: NO_SCOPE_READ });
      return EXIT.passed;
    }
    print(limits);
    const exit = await watchToEnd(connection, submission, { json, runnerTimeoutMs: timeoutMs, out });
    if (!json && exit === EXIT.passed && mode !== "ranked" && mode !== "application")
      print(["To enter the leaderboard, submit with --mode ranked."]);
    return exit;
  },
});
