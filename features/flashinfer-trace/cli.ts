import type { FeatureCommands } from "@kernelbot/cli/src/command/features.ts";

export const flashinferTrace: FeatureCommands = {
  local: {
    convert: {
      about: "Convert a FlashInfer Trace solution to a submission, and back",
      before: "problem",
      load: () => import("./convert.ts"),
    },
  },
  problem: {
    import: {
      about: "Write the problems of a FlashInfer Trace data set",
      before: "check",
      load: () => import("./import.ts"),
    },
  },
  export: {
    "flashinfer-trace": {
      about: "Write the results of boards as FlashInfer Trace documents",
      load: () => import("./export.ts"),
    },
  },
};
