import { defineRequest } from "../../request/request.ts";
import { suitesLines } from "../../render/suites.ts";

export const command = defineRequest({
  name: "kernelbench suites",
  request: async ({ client }) => ({ suites: await client.kernelbench.suites() }),
  lines: ({ suites }, { width, style }) => suitesLines(suites, width, style),
});
