import { defineRequest } from "../request/request.ts";
import { positiveInteger } from "../command/arguments.ts";
import { submissionLines } from "../render/lists.ts";

export const command = defineRequest({
  name: "list",
  options: {
    limit: { type: "string", short: "n", value: "N", default: "20", help: "Maximum number of submissions" },
  },
  request: async ({ client }, { limit }) => ({
    submissions: await client.submissions({ limit: positiveInteger(limit, "a number of submissions") }),
  }),
  lines: ({ submissions }, { width, style }) => submissionLines(submissions, new Date(), width, style),
});
