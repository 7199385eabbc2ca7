import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command.ts";
import { connect } from "../../config.ts";
import { EXIT } from "../../exit.ts";
import { positiveInteger } from "../../id.ts";
import { terminalOf } from "../../terminal.ts";
import { jsonDocument } from "../../text.ts";
import { needed, REASON_OPTION } from "./reason.ts";

export const command = defineCommand({
  name: "admin answer",
  about: "Answers an appeal for good: the decision stands, or with --grant is turned round.",
  positionals: ["DECISION"],
  options: {
    grant: { type: "boolean", help: "Turn the decision round: accept, restore or unban" },
    ...REASON_OPTION,
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: ["Who made the decision should leave the answer to another moderator."],
  run: async ({ grant, reason, json, server }, text) => {
    const id = positiveInteger(text, "a decision's number, as kernelbot admin quarantine shows it");
    const why = needed(reason);
    const { client } = await connect(server);
    const decision = await client.moderation.answer(id, { grant, reason: why });
    if (json) process.stdout.write(`${jsonDocument(decision)}\n`);
    else
      terminalOf(process.stdout).print([
        `The appeal is answered: the decision ${grant ? "is turned round" : "stands"}.`,
      ]);
    return EXIT.passed;
  },
});
