import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";
import { webhookId } from "./id.ts";

export const command = defineCommand({
  name: "webhooks redeliver",
  positionals: ["ID", "DELIVERY"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  notes: ["Sends it with the same delivery id, whether it succeeded or failed before."],
  run: async ({ json, server }, text, deliveryId) => {
    const id = webhookId(text);
    const { client } = await connect(server);
    const delivery = await client.webhooks.redeliver(id, deliveryId);
    if (json) process.stdout.write(`${jsonDocument(delivery)}\n`);
    else terminalOf(process.stdout).print([`Delivery ${delivery.id} is queued.`]);
    return EXIT.passed;
  },
});
