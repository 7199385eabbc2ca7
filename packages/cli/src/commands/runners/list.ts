import { defineRequest } from "../../request/request.ts";
import { runnerLines } from "../../render/runners.ts";

export const command = defineRequest({
  name: "runners list",
  notes: ["Lists the runners that were online in the last 7 days, and the latest of each target."],
  request: async ({ client }) => ({ runners: await client.runners() }),
  lines: ({ runners }, { width, style }) => runnerLines(runners, width, style),
});
