import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";
import { webhookId } from "./id.ts";

export const command = defineCommand({
  name: "webhooks test",
  positionals: ["ID"],
  options: { ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ json, server }, text) => {
    const id = webhookId(text);
    const { client } = await connect(server);
    const webhook = await client.webhooks.test(id);
    if (json) process.stdout.write(`${jsonDocument(webhook)}\n`);
    else
      terminalOf(process.stdout).print([`A test event is queued. To see its delivery: kernelbot webhooks log ${id}`]);
    return EXIT.passed;
  },
});
