import { defineRequest } from "../../request/request.ts";
import { joinTokenLines } from "../../render/runners.ts";

export const command = defineRequest({
  name: "runners tokens",
  request: async ({ client }) => ({ tokens: await client.joinTokens() }),
  lines: ({ tokens }, { width, style }) => joinTokenLines(tokens, width, style),
});
