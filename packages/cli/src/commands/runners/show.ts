import { defineRequest } from "../../request/request.ts";
import { runnerDetailLines } from "../../render/runners.ts";
import { findRunner } from "../../runners/find-runners.ts";

export const command = defineRequest({
  name: "runners show",
  positionals: ["RUNNER"],
  request: async ({ client }, _, word) => client.runner((await findRunner(client, word)).id),
  lines: (runner, { style }) => runnerDetailLines(runner, style),
});
