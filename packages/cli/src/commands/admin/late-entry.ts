import { jsonDocument } from "../../output/text.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { connect } from "../../config/config.ts";
import { terminalOf } from "../../output/terminal.ts";
import { findDestination } from "../../submission/destination.ts";
import { readSource } from "../../submission/source-file.ts";
import { requireReason } from "./moderation-action.ts";

export const command = defineCommand({
  name: "admin late-entry",
  positionals: ["FILE"],
  options: {
    account: { type: "string", value: "NAME", help: "Account whose submission it is (required)" },
    board: { type: "string", short: "b", value: "NAME", help: "Leaderboard: the name of a problem" },
    target: { type: "string", short: "t", value: "NAME", multiple: true, help: "Target to run on" },
    reason: { type: "string", short: "r", value: "TEXT", help: "Reason, recorded in the audit log (required)" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Enters a ranked submission for an account after the deadline; for organisers of the competition. The limits of the " +
      "account apply. The submission counts on the leaderboard, marked as a late entry.",
  ],
  run: async ({ account, board, target, reason, json, server }, file) => {
    if (account === undefined) throw new UsageError("--account NAME is required");
    const why = requireReason(reason);
    const { fileName, source } = await readSource(file);
    const { client, pageOf } = await connect(server);
    const destination = await findDestination(client, source, { board, targets: target });
    const submission = await client.enterLate({ ...destination, fileName, source, account, reason: why });
    if (json) process.stdout.write(`${jsonDocument({ page: pageOf(submission.id), submission, runs: [] })}\n`);
    else
      terminalOf(process.stdout).print([
        `Submission ${submission.id} is entered for ${submission.account.name} and queued.`,
        pageOf(submission.id),
      ]);
    return EXIT.passed;
  },
});
