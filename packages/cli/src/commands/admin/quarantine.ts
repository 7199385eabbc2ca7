import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { queueLines } from "../../render/moderation.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "admin quarantine",
  positionals: [],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["Lists quarantined and flagged runs and unanswered appeals, oldest first."],
  run: async ({ json, server }) => {
    const { client } = await connect(server);
    const queue = await client.moderation.queue();
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument(queue)}\n`);
    else print(queueLines(sanitize(queue), width, style));
    return EXIT.passed;
  },
});
