import { appendFile } from "node:fs/promises";
import { openBoardDuels, openProblemDuels, type JudgedKernel } from "../../ci/judge.ts";
import { listChangedKernels } from "../../ci/changed-kernels.ts";
import { readPullRequest, writeComment } from "../../ci/pull-request.ts";
import { formatReport, NOT_FOR_FORKS } from "../../ci/report.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { connect } from "../../config/config.ts";
import { jsonDocument } from "../../output/text.ts";
import { RUNNER_TIMEOUT_OPTION, runnerTimeoutMs } from "../../submission/runner-wait.ts";
import { retryNotice, withRetry } from "../../submission/submit.ts";

const FAIL_ON = ["slower", "incorrect", "never"] as const;

export const command = defineCommand({
  name: "ci duel",
  positionals: [],
  options: {
    base: { type: "string", value: "REVISION", default: "HEAD^1", help: "Git revision to compare HEAD with" },
    path: { type: "string", value: "PATHSPEC", multiple: true, help: "Only kernels that git matches with it" },
    target: { type: "string", short: "t", value: "NAME", help: "Target to run on, instead of that of each kernel" },
    problem: {
      type: "string",
      short: "p",
      value: "DIR",
      help: "Problem directory with your own shapes, instead of the leaderboard of each kernel (organisers)",
    },
    "fail-on": { type: "string", choices: FAIL_ON, default: "slower", help: "Result of a kernel that fails the job" },
    summary: { type: "string", value: "FILE", help: "Append the report in Markdown to FILE" },
    comment: { type: "boolean", help: "Write the report into one comment of the pull request, with GITHUB_TOKEN" },
    ...RUNNER_TIMEOUT_OPTION,
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Judges each changed file whose directives name a leaderboard (#!KERNELBOT board NAME) in a duel against its base, and " +
      "prints a report in Markdown. New files have no base and are left out. With --problem, all changed .py, .cpp and .cu " +
      "files that --path matches are judged, base and change in an evaluation each; --runner-timeout then limits their time " +
      "in the queue.",
    "--comment reads the pull request from GITHUB_EVENT_PATH, as GitHub Actions sets it.",
    "Exits with 1 if a change failed, or with --fail-on slower if it is slower with 95 % confidence; with 3 if one could not " +
      "be judged.",
  ],
  run: async ({ base, path: paths, target, problem, summary, comment, json, server, ...options }) => {
    const failOn = options["fail-on"];
    const timeoutMs = runnerTimeoutMs(options["runner-timeout"]);
    if (problem !== undefined && paths.length === 0) throw new UsageError("--problem requires --path PATHSPEC");
    const pull = await readPullRequest(process.env);
    if (comment && pull === null) throw new UsageError("--comment requires GITHUB_EVENT_PATH of a pull request");
    const publish = async (report: string): Promise<void> => {
      if (!json) process.stdout.write(`${report}\n`);
      if (summary !== undefined) await appendFile(summary, `${report}\n`);
      if (comment && pull !== null) await writeComment(process.env, pull, report);
    };
    if (pull?.isFromFork === true && (process.env.KERNELBOT_TOKEN ?? "") === "") {
      await publish(NOT_FOR_FORKS);
      return EXIT.passed;
    }
    const kernels = await listChangedKernels({ base, paths, all: problem !== undefined });
    const connection = await connect(server);
    // Requires the scope read, without which the result of a duel cannot be read.
    if (kernels.length > 0) {
      await withRetry(
        () => connection.client.account(),
        () => console.error(retryNotice(connection.server)),
      );
    }
    const judge =
      problem === undefined
        ? openBoardDuels(connection, { target, timeoutMs, json })
        : openProblemDuels(connection, { target, problem, timeoutMs });
    const judged: JudgedKernel[] = [];
    // One after another, so that a pull request does not fill the queue.
    for (const kernel of kernels) judged.push(...(await judge(kernel)));
    if (json) process.stdout.write(`${jsonDocument({ kernels: judged })}\n`);
    if (judged.length > 0) await publish(formatReport(judged));
    else if (!json) console.error(`HEAD changes no kernel compared with ${base}`);
    return exitOf(judged, failOn);
  },
});

function exitOf(judged: readonly JudgedKernel[], failOn: (typeof FAIL_ON)[number]): number {
  if (failOn === "never") return EXIT.passed;
  if (judged.some(({ correct }) => correct === false)) return EXIT.failed;
  if (failOn === "slower" && judged.some(({ faster }) => faster === "b")) return EXIT.failed;
  return judged.some(({ correct }) => correct === null) ? EXIT.platform : EXIT.passed;
}
