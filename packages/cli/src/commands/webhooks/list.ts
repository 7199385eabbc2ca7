import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { webhookLines } from "../../render/webhooks.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";

export const command = defineCommand({
  name: "webhooks list",
  positionals: [],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }) => {
    const { client } = await connect(server);
    const webhooks = await client.webhooks.list();
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ webhooks })}\n`);
    else print(webhookLines(sanitize(webhooks), width, style));
    return EXIT.passed;
  },
});
