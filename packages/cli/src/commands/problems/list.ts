import { DIFFICULTIES } from "@kernelbot/core";
import { defineRequest } from "../../request/request.ts";
import { problemLines } from "../../render/lists.ts";

export const command = defineRequest({
  name: "problems list",
  options: {
    tag: { type: "string", value: "TAG", help: "List only problems with this tag, such as reduction" },
    difficulty: {
      ...{ type: "string", value: "LEVEL", choices: DIFFICULTIES },
      help: `List only problems of this difficulty: ${DIFFICULTIES.join(", ")}`,
    },
  },
  request: async ({ client }, { tag, difficulty }) => ({ problems: await client.problems({ tag, difficulty }) }),
  lines: ({ problems }, { width, style }) => problemLines(problems, width, style),
});
