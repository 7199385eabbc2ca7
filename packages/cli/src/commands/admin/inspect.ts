import { defineRequest } from "../../request/request.ts";
import { positiveInteger } from "../../command/arguments.ts";
import { inspectionLines } from "../../render/inspection.ts";

export const command = defineRequest({
  name: "admin inspect",
  positionals: ["RUN"],
  request: ({ client }, _, text) =>
    client.moderation.inspect(positiveInteger(text, "the number of a run; kernelbot admin quarantine lists them")),
  lines: (inspection, { width, style }) => inspectionLines(inspection, { width, style, histograms: true }),
});
