import type { Client } from "@kernelbot/api";
import { EVALUATION_LEVELS, type Evaluation } from "@kernelbot/core";
import { readProblemFolder } from "@kernelbot/tester/problem-tree";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { sessionId } from "../command/arguments.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { connect } from "../config/config.ts";
import { evaluationLines, toEvaluationRequest } from "../submission/evaluation.ts";
import { findDestination, wantedDestination } from "../submission/destination.ts";
import { readSource } from "../submission/source-file.ts";
import { jsonDocument, sanitize } from "../output/text.ts";
import { terminalOf } from "../output/terminal.ts";

export const command = defineCommand({
  name: "evaluate",
  positionals: ["FILE"],
  options: {
    board: { type: "string", short: "b", value: "NAME", help: "Name of a problem" },
    problem: {
      type: "string",
      short: "p",
      value: "DIR",
      help: "Problem directory to upload, instead of a name (organisers)",
    },
    target: { type: "string", short: "t", value: "NAME", help: "Target to judge on" },
    level: { type: "string", short: "l", choices: EVALUATION_LEVELS, default: "reward", help: "How far to judge" },
    rule: { type: "string", value: "NAME", help: "Reward rule, log-gain@1 by default" },
    session: { type: "string", value: "ID", help: "Session whose budget it uses; names problem and target, too" },
    fresh: { type: "boolean", help: "Judge again instead of returning an earlier result of the same code" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Levels: compile only imports or builds the code, test also runs the test cases, reward also times the benchmark cases.",
    "With --problem, the directory is uploaded for your own evaluations: no one else sees it, and it is deleted some days " +
      "after its last use. Needs the role organiser.",
    "An evaluation enters no leaderboard and no list. Its reward is between 0 and 1; there is none where the platform failed.",
  ],
  run: async ({ board, problem: folder, target, level, rule, session, fresh, json, server }, file) => {
    const { fileName, source } = await readSource(file);
    const { client } = await connect(server);
    const opened = session === undefined ? null : await client.sessions.get(sessionId(session));
    const one = target ?? opened?.target;
    const choice = { board: board ?? opened?.problem, targets: one === undefined ? [] : [one] };
    const { problem, targets } =
      folder === undefined ? await named(client, source, choice) : await uploaded(client, source, folder, choice);
    const [only, ...others] = targets;
    if (only === undefined || others.length > 0)
      throw new UsageError(`name one target with --target: ${targets.join(", ")}`);
    const request = toEvaluationRequest(fileName, source, {
      problem,
      target: only,
      level,
      rule,
      fresh,
      session: opened?.id,
    });
    let reason: string | null = null;
    const onWait = ({ queueReason }: Evaluation): void => {
      if (queueReason !== null && queueReason !== reason) console.error(`queued: ${sanitize(queueReason)}`);
      reason = queueReason;
    };
    const ended = await client.evaluations.evaluate({ ...request, priority: "interactive" }, { onWait });
    const evaluation = sanitize(ended);
    if (json) process.stdout.write(`${jsonDocument(evaluation)}\n`);
    else terminalOf(process.stdout).print(evaluationLines(evaluation));
    return exitOf(evaluation);
  },
});

interface Choice {
  board: string | undefined;
  targets: string[];
}

async function named(client: Client, source: string, choice: Choice) {
  const { board, targets } = await findDestination(client, source, choice);
  return { problem: board, targets };
}

/** Uploads a problem directory, and returns what names it. Its targets count where neither option nor file names one. */
async function uploaded(client: Client, source: string, folder: string, choice: Choice) {
  if (choice.board !== undefined) throw new UsageError("name a problem with --board, or a directory with --problem");
  const { targets } = wantedDestination(source, choice);
  const upload = sanitize(await client.evaluations.uploadProblem(await readProblemFolder(folder, targets)));
  return { problem: upload.problem, targets: targets.length > 0 ? targets : upload.targets };
}

function exitOf({ outcome, state }: Evaluation): number {
  if (outcome === "passed") return EXIT.passed;
  return outcome === "infra_error" || outcome === "noisy" || state === "expired" ? EXIT.platform : EXIT.failed;
}
