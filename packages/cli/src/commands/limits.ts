import { formatAllowance, formatLimit } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { terminalOf } from "../output/terminal.ts";
import { jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "limits",
  about: "Shows how much may be submitted to a board, and how much of that is left to you.",
  positionals: ["BOARD"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: [
    "A limit of the board wins over that of its competition, and this over that of the server. Each counts what you submitted to " +
      "the boards on which it holds. What could not be judged does not count; what you cancelled or deleted does.",
  ],
  run: async ({ json, server }, board) => {
    const { client } = await connect(server);
    const { limits, own } = await client.limits(board);
    if (json) process.stdout.write(`${jsonDocument({ limits, own })}\n`);
    else if (limits.length === 0) terminalOf(process.stdout).print([`${board} has no limits.`]);
    else {
      const lines = own === null ? limits.map(formatLimit) : own.map(formatAllowance);
      const places = limits.map((limit) => limit.competition ?? limit.board ?? "the server");
      terminalOf(process.stdout).print(lines.map((line, at) => `${line} (${places[at]})`));
    }
    return EXIT.passed;
  },
});
