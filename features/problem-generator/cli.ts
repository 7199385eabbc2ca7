import type { FeatureCommands } from "@kernelbot/cli/src/command/features.ts";

export const problemGenerator: FeatureCommands = {
  problem: {
    generate: {
      about: "Generate problems for training from a seed",
      before: "check",
      load: () => import("./generate.ts"),
    },
  },
};
