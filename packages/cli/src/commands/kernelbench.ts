import { defineGroup } from "../group.ts";

export const command = defineGroup({
  name: "kernelbench",
  about: "Makes, checks and submits the kernels of a model for KernelBench, and reads how they came out.",
  commands: {
    generate: { about: "ask a model for kernels", load: () => import("./kernelbench/generate.ts") },
  },
});
