/** Formats the moderation queue. */
import {
  FLAG_CHECK_LABELS,
  type Decision,
  type Flag,
  type ModerationQueue,
  type QuarantineItem,
} from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { oneLine, wrap } from "../output/text.ts";
import { reviewLines } from "./review.ts";
import { moment } from "./format.ts";

export function queueLines({ items, appeals }: ModerationQueue, width: number, style: Style): string[] {
  if (items.length + appeals.length === 0) return ["No quarantined runs and no open appeals."];
  const blocks = [
    ...items.map((item) => itemLines(item, width, style)),
    ...appeals.map((appeal) => [
      ...decisionLines(appeal, width, style),
      ...wrap(oneLine(`decided by ${appeal.decidedBy.name}; another moderator should answer`), width - 2).map(
        (line) => `  ${line}`,
      ),
    ]),
  ];
  return blocks.flatMap((block, at) => (at === 0 ? block : ["", ...block]));
}

/** Formats a quarantined run with its flags and review findings. */
function itemLines(item: QuarantineItem, width: number, style: Style): string[] {
  const on = item.verdict === "passed" ? ", still on its leaderboard" : "";
  return [
    `${style.bold(`run ${item.runId}`)} of submission ${item.submissionId}, ${item.board} on ${item.target}${on}`,
    `  ${oneLine(item.fileName)} by ${oneLine(item.account.name)}, ${moment(item.finishedAt)}`,
    ...flagLines(item.flags, width, style),
    ...reviewLines(item.review, width - 2, style).map((line) => (line === "" ? "" : `  ${line}`)),
  ];
}

/** Formats the flags of a run. */
export function flagLines(flags: readonly Flag[], width: number, style: Style): string[] {
  return flags.flatMap(({ check, by, message, evidenceRunId }) => {
    const who = by === null ? "" : ` (${by.name})`;
    const evidence = evidenceRunId === null ? "" : `, run ${evidenceRunId}`;
    const [first = "", ...rest] = wrap(oneLine(`${FLAG_CHECK_LABELS[check]}${who}${evidence}: ${message}`), width - 4);
    return [`  ${style.yellow("!")} ${first}`, ...rest.map((line) => `    ${line}`)];
  });
}

/** Formats a decision with its appeal and the answer to it. */
export function decisionLines(decision: Decision, width: number, style: Style): string[] {
  const { id, act, account, submissionId, runId, reason, appeal, answer } = decision;
  const what =
    runId !== null
      ? `run ${runId} of submission ${submissionId}`
      : submissionId !== null
        ? `submission ${submissionId}`
        : "account";
  const under = (text: string) => wrap(oneLine(text), width - 2).map((line) => `  ${line}`);
  return [
    `${style.bold(`decision ${id}`)}: ${act}, ${what} of ${oneLine(account.name)}, ${moment(decision.at)}`,
    ...under(reason),
    ...(appeal === null ? [] : under(`appeal, ${moment(appeal.at)}: ${appeal.text}`)),
    ...(answer === null ? [] : under(`answer, ${moment(answer.at)}: ${answer.act}: ${answer.reason}`)),
  ];
}
