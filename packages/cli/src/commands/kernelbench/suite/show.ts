import { defineRequest } from "../../../request/request.ts";
import { suiteLines } from "../../../render/suites.ts";

export const command = defineRequest({
  name: "kernelbench suite show",
  positionals: ["NAME"],
  options: {
    version: { type: "string", value: "HASH", help: "Version of the suite (default: the newest)" },
  },
  notes: ["Shows the results of the inspection of each problem."],
  request: ({ client }, { version }, name) => client.kernelbench.suite(name, version),
  lines: (suite, { width, style }) => suiteLines(suite, width, style),
});
