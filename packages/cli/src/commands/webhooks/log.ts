import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { deliveryLines } from "../../render/webhooks.ts";
import { terminalOf } from "../../output/terminal.ts";
import { sanitize, jsonDocument } from "../../output/text.ts";
import { webhookId } from "./id.ts";

export const command = defineCommand({
  name: "webhooks log",
  positionals: ["ID"],
  options: {
    limit: { type: "string", short: "n", value: "N", default: "20", help: "Maximum number of deliveries, at most 200" },
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  run: async ({ limit, json, server }, text) => {
    const id = webhookId(text);
    const number = positiveInteger(limit, "a number of deliveries");
    const { client } = await connect(server);
    const deliveries = await client.webhooks.deliveries(id, number);
    const { print, width, style } = terminalOf(process.stdout);
    if (json) process.stdout.write(`${jsonDocument({ deliveries })}\n`);
    else print(deliveryLines(sanitize(deliveries), new Date(), width, style));
    return EXIT.passed;
  },
});
