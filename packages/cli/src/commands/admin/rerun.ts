import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command.ts";
import { connect } from "../../config.ts";
import { EXIT, UsageError } from "../../exit.ts";
import { positiveInteger, submissionId } from "../../id.ts";
import { terminalOf } from "../../terminal.ts";
import { count, jsonDocument } from "../../text.ts";

export const command = defineCommand({
  name: "admin rerun",
  about: "Runs a submission, or the first entries of a board, again on fresh seeds.",
  positionals: [],
  options: {
    submission: { type: "string", value: "ID", help: "This submission, in place of a board's" },
    board: { type: "string", short: "b", value: "NAME", help: "The entries of this board" },
    target: { type: "string", short: "t", value: "NAME", help: "The target of the board" },
    top: { type: "string", short: "n", value: "N", default: "10", help: "The first so many entries" },
    all: { type: "boolean", help: "All entries" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Re-runs wait behind what participants hand in. Once one has passed, its time is the entry's and the rank is confirmed.",
  ],
  run: async ({ submission, board, target, top, all, json, server }) => {
    if ((submission === undefined) === (board === undefined)) throw new UsageError("name --submission or --board");
    if (board !== undefined && target === undefined) throw new UsageError("name the target of the board with --target");
    const id = submission === undefined ? undefined : submissionId(submission);
    const first = all ? null : positiveInteger(top, "a number of entries");
    const { client } = await connect(server);
    const runs =
      id === undefined
        ? await client.moderation.rerunBoard(board ?? "", target ?? "", first)
        : await client.moderation.rerun(id);
    if (json) process.stdout.write(`${jsonDocument({ runs })}\n`);
    else
      terminalOf(process.stdout).print([
        `${count(runs.length, "re-run")} queued${runs.length > 0 ? `: ${runs.join(", ")}` : ""}.`,
      ]);
    return EXIT.passed;
  },
});
