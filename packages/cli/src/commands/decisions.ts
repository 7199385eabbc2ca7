import { defineRequest } from "../request/request.ts";
import { decisionLines } from "../render/moderation.ts";

export const command = defineRequest({
  name: "decisions",
  request: async ({ client }) => ({ decisions: await client.decisions() }),
  lines: ({ decisions }, { width, style }) =>
    decisions.length === 0
      ? ["There are no moderation decisions about you."]
      : decisions.flatMap((each, at) => [...(at > 0 ? [""] : []), ...decisionLines(each, width, style)]),
});
