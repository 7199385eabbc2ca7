import type { FeatureCommands } from "@kernelbot/cli/src/command/features.ts";

export const kernelHub: FeatureCommands = {
  data: {
    publish: { about: "Publish an exported kernel", before: "dataset", load: () => import("./publish.ts") },
  },
  export: {
    kernel: { about: "Write a kernel repository of the Hugging Face Hub", load: () => import("./export-kernel.ts") },
    package: { about: "Write a Python package with a kernel and its tests", load: () => import("./export-package.ts") },
  },
};
