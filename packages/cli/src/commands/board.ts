import { readBoards } from "../boards.ts";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command.ts";
import { connect } from "../config.ts";
import { EXIT } from "../exit.ts";
import { boardLines } from "../render/lists.ts";
import { terminalOf } from "../terminal.ts";
import { cleaned, jsonDocument } from "../text.ts";

export const command = defineCommand({
  name: "board",
  about: "Shows a board: the best ranked run of each account or team, fastest first.",
  positionals: ["NAME"],
  options: {
    target: { type: "string", short: "t", value: "NAME", help: "One target; without it, every one with entries" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "Runs whose intervals overlap share a rank: the measurement does not tell them apart.",
    "A confirmed time is that of a re-run on fresh seeds; all others are provisional.",
  ],
  run: async ({ target, json, server }, name) => {
    const { client } = await connect(server);
    const boards = await readBoards(client, name, target);
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ boards })}\n`);
    else if (boards.length === 0) print([`${name} has no entries yet.`]);
    else print(boards.flatMap((board, at) => [...(at > 0 ? [""] : []), ...boardLines(cleaned(board), width, style)]));
    return EXIT.passed;
  },
});
