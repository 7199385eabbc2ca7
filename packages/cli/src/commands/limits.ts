import { formatAllowance, formatLimit } from "@kernelbot/core";
import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../command/command.ts";
import { connect } from "../config/config.ts";
import { EXIT } from "../command/exit.ts";
import { terminalOf } from "../output/terminal.ts";
import { jsonDocument } from "../output/text.ts";

export const command = defineCommand({
  name: "limits",
  positionals: ["BOARD"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: [
    "Shows each limit with your remaining allowance. Limits of the leaderboard override those of its competition, which " +
      "override those of the server. Each counts your submissions to all leaderboards that it applies to. Infrastructure " +
      "errors do not count; cancelled and deleted submissions do.",
  ],
  run: async ({ json, server }, board) => {
    const { client } = await connect(server);
    const { limits, own } = await client.limits(board);
    if (json) process.stdout.write(`${jsonDocument({ limits, own })}\n`);
    else if (limits.length === 0) terminalOf(process.stdout).print([`${board} has no limits.`]);
    else {
      const lines = own === null ? limits.map(formatLimit) : own.map(formatAllowance);
      const scopes = limits.map((limit) => limit.competition ?? limit.board ?? "the server");
      terminalOf(process.stdout).print(lines.map((line, at) => `${line} (${scopes[at]})`));
    }
    return EXIT.passed;
  },
});
