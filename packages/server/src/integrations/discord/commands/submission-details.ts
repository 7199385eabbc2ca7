/** `/leaderboard get-submission`: one of the caller's own submissions, with its source. */
import {
  formatResult,
  KernelBotError,
  formatRemoval,
  formatVerdict,
  type RunSummary,
  type Submission,
} from "@kernelbot/core";
import { canSeeSubmission, visibilityKeyOf } from "../../../auth/visibility.ts";
import { readSource, readSubmission } from "../../../submissions/views.ts";
import { callerOf } from "../accounts.ts";
import { requireOption, type Command, type OptionSpec } from "../command.ts";
import { code, plain, title } from "../escape.ts";
import type { Message } from "../protocol.ts";
import type { Bot } from "../bot.ts";

export const SUBMISSION: OptionSpec = {
  name: "submission_id",
  about: "Submission id",
  type: "integer",
  required: true,
};

export const getSubmission: Command = {
  path: "leaderboard get-submission",
  about: "Show one of your submissions with its source",
  options: [SUBMISSION],
  async run({ bot, context, options }) {
    const identity = await callerOf(bot, context.user);
    const id = requireOption(options.integer(SUBMISSION.name), SUBMISSION.name);
    const submission = await readSubmission(bot.database, id);
    const isOwn = submission?.account.id === identity.account.id;
    if (submission === null || !isOwn || !(await canSeeSubmission(bot.database, visibilityKeyOf(identity), id))) {
      throw new KernelBotError("not_found", `Submission with id ${id} is not one of your submissions`);
    }
    return submissionMessage(bot, submission);
  },
};

/** Formats a submission for its owner and for moderators. */
export async function submissionMessage(bot: Bot, submission: Submission): Promise<Message> {
  const { id, board, fileName, runs, removed } = submission;
  const source = (await readSource(bot.database, id)) ?? "";
  const head = `Submission **${id}**: ${code(fileName)} for ${code(board)}`;
  const lines = runs.map((run) => ` * ${submission.mode} on ${code(run.target)}: ${formatOutcome(run)}`);
  const taken = removed === null ? [] : [`🚫 ${plain(formatRemoval(removed))}`];
  return {
    content: [head, ...taken, ...lines, `<${bot.publicUrl}/submissions/${id}>`].join("\n"),
    files: [{ name: title(fileName), data: source }],
  };
}

function formatOutcome({ state, verdict, failureClass, score }: RunSummary): string {
  if (verdict === null) return state;
  return score === null ? formatVerdict(verdict, failureClass) : formatResult(score);
}
