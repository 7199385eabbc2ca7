import { defineCommand, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { requireConfirmation } from "../../command/confirmation.ts";
import { EXIT } from "../../command/exit.ts";
import { terminalOf } from "../../output/terminal.ts";
import { webhookId } from "./id.ts";

export const command = defineCommand({
  name: "webhooks delete",
  positionals: ["ID"],
  options: { yes: { type: "boolean", short: "y", help: "Do not ask for confirmation" }, ...SERVER_OPTION },
  run: async ({ yes, server }, text) => {
    const id = webhookId(text);
    const { client } = await connect(server);
    if (!yes) await requireConfirmation(`Delete webhook ${id} and its log?`, "deleting cannot be undone");
    await client.webhooks.remove(id);
    terminalOf(process.stdout).print([`Webhook ${id} is deleted.`]);
    return EXIT.passed;
  },
});
