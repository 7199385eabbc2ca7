import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command.ts";
import { connect } from "../../config.ts";
import { EXIT } from "../../exit.ts";
import { positiveInteger } from "../../id.ts";
import { terminalOf } from "../../terminal.ts";
import { jsonDocument } from "../../text.ts";
import { needed, REASON_OPTION } from "./reason.ts";

export const command = defineCommand({
  name: "admin reject",
  about: "Decides that a run failed; its owner may appeal once.",
  positionals: ["RUN"],
  options: { ...REASON_OPTION, ...JSON_OPTION, ...SERVER_OPTION },
  run: async ({ reason, json, server }, text) => {
    const id = positiveInteger(text, "a run's number, as kernelbot admin quarantine shows it");
    const why = needed(reason);
    const { client } = await connect(server);
    const decision = await client.moderation.reject(id, why);
    if (json) process.stdout.write(`${jsonDocument(decision)}\n`);
    else terminalOf(process.stdout).print([`Run ${id} is rejected.`]);
    return EXIT.passed;
  },
});
