import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";
import { needed, REASON_OPTION } from "./moderation-action.ts";

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
