import { defineRequest } from "../../request/request.ts";
import { tokenLines } from "../../render/people.ts";

export const command = defineRequest({
  name: "tokens list",
  notes: ["A token itself is printed only when it is created."],
  request: async ({ client }) => ({ tokens: await client.tokens() }),
  lines: ({ tokens }, { width, style }) => tokenLines(tokens, width, style),
});
