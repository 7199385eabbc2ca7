import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";
import { webhookId } from "./id.ts";

export const command = defineCommand({
  name: "webhooks pause",
  positionals: ["ID"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["While it is paused, no deliveries are sent or queued."],
  run: async ({ json, server }, text) => {
    const id = webhookId(text);
    const { client } = await connect(server);
    const webhook = await client.webhooks.pause(id);
    if (json) process.stdout.write(`${jsonDocument(webhook)}\n`);
    else terminalOf(process.stdout).print([`Webhook ${id} is paused.`]);
    return EXIT.passed;
  },
});
