import { defineRequest } from "../request/request.ts";
import { UsageError } from "../command/exit.ts";
import { positiveInteger } from "../command/arguments.ts";

export const command = defineRequest({
  name: "appeal",
  positionals: ["DECISION"],
  options: {
    text: { type: "string", value: "TEXT", help: "Why the decision should change (required)" },
  },
  notes: ["You can appeal once against each decision; the answer is final."],
  request: ({ client }, { text: why }, text) => {
    const id = positiveInteger(text, "the number of a decision; kernelbot decisions lists them");
    if (why === undefined || why.trim() === "")
      throw new UsageError("--text TEXT is required: say why the decision should change");
    return client.appeal(id, why);
  },
  lines: () => ["Your appeal is filed; kernelbot decisions shows the moderators' answer."],
});
