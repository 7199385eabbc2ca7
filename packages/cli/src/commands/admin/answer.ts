import { defineRequest } from "../../request/request.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { requireReason, REASON_OPTION } from "./moderation-action.ts";

export const command = defineRequest({
  name: "admin answer",
  positionals: ["DECISION"],
  options: {
    grant: { type: "boolean", help: "Reverse the decision (default: uphold it)" },
    ...REASON_OPTION,
  },
  notes: [
    "The answer is final. Reversing a decision accepts the run, restores the submission or ends the ban. A moderator should " +
      "not answer an appeal against their own decision.",
  ],
  request: ({ client }, { grant, reason }, text) => {
    const id = positiveInteger(text, "the number of a decision; kernelbot admin quarantine lists them");
    return client.moderation.answer(id, { grant, reason: requireReason(reason) });
  },
  lines: ({ answer }) => [`Appeal answered: the decision is ${answer?.act === "uphold" ? "upheld" : "reversed"}.`],
});
