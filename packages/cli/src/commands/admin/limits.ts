import { parseLimits } from "@kernelbot/core";
import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";

export const command = defineCommand({
  name: "admin limits",
  positionals: ["NAME", "LIMITS"],
  options: {
    competition: { type: "string", value: "NAME", help: "Set the limits in a competition; for its organisers" },
    board: { type: "string", value: "NAME", help: "Set the limits on one leaderboard" },
    ...SERVER_OPTION,
  },
  notes: [
    "LIMITS are MODE_per_hour, MODE_concurrent or MODE_gpu_seconds_per_day, each with = and a number, separated by commas; " +
      "none restores the limits that apply to all accounts. Without --competition and --board, sets the limits of the " +
      "server; for administrators.",
    "Example: kernelbot admin limits NAME ranked_per_hour=30 --competition spring",
  ],
  run: async ({ competition, board, server }, account, limits) => {
    if (competition !== undefined && board !== undefined)
      throw new UsageError("use --competition or --board, not both");
    const { client } = await connect(server);
    await client.raiseLimits({ account, competition, board, limits: limits === "none" ? {} : parseLimits(limits) });
    const where = competition ?? board ?? "the server";
    terminalOf(process.stdout).print([
      `Limits of ${account} on ${where}: ${limits === "none" ? "those of all accounts" : limits}.`,
    ]);
    return EXIT.passed;
  },
});
