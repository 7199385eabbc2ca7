import { parseLimits } from "@kernelbot/core";
import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT, UsageError } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";

export const command = defineCommand({
  name: "admin limits",
  about: "Raises limits for one account: kernelbot admin limits NAME ranked_per_hour=30 --competition spring",
  positionals: ["NAME", "LIMITS"],
  options: {
    competition: { type: "string", value: "NAME", help: "Those of a competition, for its organisers" },
    board: { type: "string", value: "NAME", help: "Those of one board" },
    ...SERVER_OPTION,
  },
  notes: [
    "LIMITS are MODE_per_hour, MODE_concurrent or MODE_gpu_seconds_per_day, each with = and a number, by commas; none takes back " +
      "what was raised there. Without --competition and --board they are those of the server, for administrators.",
  ],
  run: async ({ competition, board, server }, account, limits) => {
    if (competition !== undefined && board !== undefined) throw new UsageError("choose --competition or --board");
    const { client } = await connect(server);
    await client.raiseLimits({ account, competition, board, limits: limits === "none" ? {} : parseLimits(limits) });
    const where = competition ?? board ?? "the server";
    terminalOf(process.stdout).print([
      `${account} has ${limits === "none" ? "the limits of all" : limits} on ${where}.`,
    ]);
    return EXIT.passed;
  },
});
