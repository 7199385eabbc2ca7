import { defineRequest } from "../request/request.ts";
import { submissionId } from "../command/arguments.ts";
import { comparisonLines } from "../render/compare.ts";

export const command = defineRequest({
  name: "compare",
  positionals: ["A", "B"],
  options: {
    target: {
      type: "string",
      short: "t",
      value: "NAME",
      help: "Target to compare on; required if both ran on several",
    },
  },
  notes: [
    "Shows which submission is faster, case by case, and the differences in source and machine. The two were measured at " +
      "different times, so differences of a few percent are not significant; kernelbot duel runs both side by side. Exits " +
      "with 0 whichever is faster.",
  ],
  request: ({ client }, { target }, a, b) => client.compare(submissionId(a), submissionId(b), target),
  lines: (compared, { width, style }) => comparisonLines(compared, width, style),
});
