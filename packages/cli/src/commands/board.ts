import { readBoards, readHistories } from "../boards/boards.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT, UsageError } from "../command/exit.ts";
import { positiveInteger } from "../command/arguments.ts";
import { boardLines, historyLines } from "../render/lists.ts";
import { terminalOf } from "../output/terminal.ts";
import { sanitize, jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "board",
  positionals: ["NAME"],
  options: {
    target: { type: "string", short: "t", value: "NAME", help: "Show one target (default: all with entries)" },
    revision: { type: "string", value: "N", help: "Show an earlier revision (default: the current one)" },
    history: { type: "boolean", help: "Show the best runtime over time" },
    unfrozen: { type: "boolean", help: "Include entries hidden by a freeze; for moderators and organisers" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Shows the best ranked run of each account or team, best first. Runs whose 95 % confidence intervals overlap share " +
      "a rank.",
    "The runtime of a confirmed entry was measured in a re-run on fresh seeds; all others are provisional.",
  ],
  run: async ({ target, revision, history, unfrozen, json, server }, name) => {
    if (history && unfrozen)
      throw new UsageError("use --history or --unfrozen, not both: a history ends at the freeze");
    if (revision !== undefined && (history || unfrozen)) {
      throw new UsageError("--history and --unfrozen show the current revision only; omit --revision");
    }
    const number = revision === undefined ? undefined : positiveInteger(revision, "the number of a revision");
    const { client } = await connect(server);
    const { print, width, style } = terminalOf(process.stdout);
    const boards = history
      ? await readHistories(client, name, target)
      : await readBoards(client, name, target, unfrozen, number);
    const blocks = sanitize(boards).map((board) =>
      "rows" in board ? boardLines(board, width, style) : historyLines(board, width, style),
    );
    if (json) process.stdout.write(`${jsonDocument(history ? { histories: boards } : { boards })}\n`);
    else if (blocks.length === 0) print([`${name} has no entries yet.`]);
    else print(blocks.flatMap((lines, at) => [...(at > 0 ? [""] : []), ...lines]));
    return EXIT.passed;
  },
});
