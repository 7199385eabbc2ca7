import type { FeatureCommands } from "@kernelbot/cli/src/command/features.ts";

export const harbor: FeatureCommands = {
  export: {
    harbor: {
      about: "Write Harbor tasks that this server verifies",
      load: () => import("./export.ts"),
    },
  },
};
