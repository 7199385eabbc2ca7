import type { FeatureCommands } from "@kernelbot/cli/src/command/features.ts";

export const popcorn: FeatureCommands = {
  "sign-in": {
    "link-popcorn": { about: "Create a token for the popcorn client", load: () => import("./link-command.ts") },
  },
};
