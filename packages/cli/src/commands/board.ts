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
  about: "Shows a board: the best ranked run of each account or team, fastest first.",
  positionals: ["NAME"],
  options: {
    target: { type: "string", short: "t", value: "NAME", help: "One target; without it, every one with entries" },
    edition: { type: "string", value: "N", help: "A former edition, in place of the one that the board shows" },
    history: { type: "boolean", help: "How its best time came down, instead" },
    unfrozen: { type: "boolean", help: "With what a freeze hides: for moderators and organisers" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Runs whose intervals overlap share a rank: the measurement does not tell them apart.",
    "A confirmed time is that of a re-run on fresh seeds; all others are provisional.",
  ],
  run: async ({ target, edition, history, unfrozen, json, server }, name) => {
    if (history && unfrozen) throw new UsageError("choose --history or --unfrozen: histories end with the freeze");
    if (edition !== undefined && (history || unfrozen)) {
      throw new UsageError("--history and --unfrozen are of the edition that the board shows");
    }
    const number = edition === undefined ? undefined : positiveInteger(edition, "an edition");
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
