import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { positiveInteger, submissionId } from "../../command/arguments.ts";
import { terminalOf } from "../../output/terminal.ts";
import { formatCount, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "admin rerun",
  about: "Runs a submission, or the first entries of a board, again on fresh seeds.",
  positionals: [],
  options: {
    submission: { type: "string", value: "ID", help: "This submission, in place of a board's" },
    board: { type: "string", short: "b", value: "NAME", help: "The entries of this board" },
    target: { type: "string", short: "t", value: "NAME", help: "The target of the board" },
    edition: { type: "string", value: "N", help: "Those of this former edition, on the one that the board shows" },
    top: { type: "string", short: "n", value: "N", default: "10", help: "The first so many entries" },
    all: { type: "boolean", help: "All entries" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "With --edition the best of each account on a former edition runs by the version that the problem has now; what passes is " +
      "an entry of its author there. Organisers of the competition may ask for it, too.",
    "Re-runs wait behind what participants hand in. Once one has passed, its time is the entry's and the rank is confirmed.",
  ],
  run: async ({ submission, board, target, edition, top, all, json, server }) => {
    if ((submission === undefined) === (board === undefined)) throw new UsageError("name --submission or --board");
    if (board !== undefined && target === undefined) throw new UsageError("name the target of the board with --target");
    const id = submission === undefined ? undefined : submissionId(submission);
    const former = edition === undefined ? undefined : positiveInteger(edition, "an edition");
    if (former !== undefined && board === undefined) throw new UsageError("--edition is of a board");
    const first = all ? null : positiveInteger(top, "a number of entries");
    const { client } = await connect(server);
    const runs =
      id === undefined
        ? await client.moderation.rerunBoard(board ?? "", target ?? "", first, former)
        : await client.moderation.rerun(id);
    if (json) process.stdout.write(`${jsonDocument({ runs })}\n`);
    else
      terminalOf(process.stdout).print([
        `${formatCount(runs.length, "re-run")} queued${runs.length > 0 ? `: ${runs.join(", ")}` : ""}.`,
      ]);
    return EXIT.passed;
  },
});
