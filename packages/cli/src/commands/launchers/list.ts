import { defineRequest } from "../../request/request.ts";
import { launcherLines, launchLines } from "../../render/launchers.ts";

export const command = defineRequest({
  name: "launchers list",
  request: ({ client }) => client.launchers(),
  lines: ({ targets, launches }, { width, style }) => [
    ...launcherLines(targets, width, style),
    "",
    ...launchLines(launches, width, style),
  ],
});
