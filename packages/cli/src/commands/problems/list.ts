import { defineRequest } from "../../command/request.ts";
import { problemLines } from "../../render/lists.ts";

export const command = defineRequest({
  name: "problems list",
  request: async ({ client }) => ({ problems: await client.problems() }),
  lines: ({ problems }, { width, style }) => problemLines(problems, width, style),
});
