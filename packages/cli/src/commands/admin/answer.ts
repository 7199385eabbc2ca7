import { defineCommand, JSON_OPTION, SERVER_OPTION } from "../../command/command.ts";
import { connect } from "../../config/config.ts";
import { EXIT } from "../../command/exit.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { terminalOf } from "../../output/terminal.ts";
import { jsonDocument } from "../../output/text.ts";
import { requireReason, REASON_OPTION } from "./moderation-action.ts";

export const command = defineCommand({
  name: "admin answer",
  positionals: ["DECISION"],
  options: {
    grant: { type: "boolean", help: "Reverse the decision (default: uphold it)" },
    ...REASON_OPTION,
    ...JSON_OPTION,
    ...SERVER_OPTION,
  },
  notes: [
    "The answer is final. Reversing a decision accepts the run, restores the submission or ends the ban. A moderator should " +
      "not answer an appeal against their own decision.",
  ],
  run: async ({ grant, reason, json, server }, text) => {
    const id = positiveInteger(text, "the number of a decision; kernelbot admin quarantine lists them");
    const why = requireReason(reason);
    const { client } = await connect(server);
    const decision = await client.moderation.answer(id, { grant, reason: why });
    if (json) process.stdout.write(`${jsonDocument(decision)}\n`);
    else terminalOf(process.stdout).print([`Appeal answered: the decision is ${grant ? "reversed" : "upheld"}.`]);
    return EXIT.passed;
  },
});
