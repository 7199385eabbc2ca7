import { UsageError } from "../../command/exit.ts";
import { defineRequest } from "../../request/request.ts";
import { oneLine } from "../../output/text.ts";
import { findDestination } from "../../submission/destination.ts";
import { readSource } from "../../submission/source-file.ts";
import { requireReason } from "./moderation-action.ts";

export const command = defineRequest({
  name: "admin late-entry",
  positionals: ["FILE"],
  options: {
    account: { type: "string", value: "NAME", help: "Account whose submission it is (required)" },
    board: { type: "string", short: "b", value: "NAME", help: "Leaderboard: the name of a problem" },
    target: { type: "string", short: "t", value: "NAME", multiple: true, help: "Target to run on" },
    reason: { type: "string", short: "r", value: "TEXT", help: "Reason, recorded in the audit log (required)" },
  },
  notes: [
    "Enters a ranked submission for an account after the deadline; for organisers of the competition. The limits of the " +
      "account apply. The submission counts on the leaderboard, marked as a late entry.",
  ],
  request: async ({ client, pageOf }, { account, board, target, reason }, file) => {
    if (account === undefined) throw new UsageError("--account NAME is required");
    const why = requireReason(reason);
    const { fileName, source } = await readSource(file);
    const destination = await findDestination(client, source, { board, targets: target });
    const submission = await client.enterLate({ ...destination, fileName, source, account, reason: why });
    return { page: pageOf(submission.id), submission, runs: [] };
  },
  lines: ({ page, submission: { id, account } }) => [
    `Submission ${id} is entered for ${oneLine(account.name)} and queued.`,
    page,
  ],
});
