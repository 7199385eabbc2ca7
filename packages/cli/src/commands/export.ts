/** `kernelbot export`: problems and kernels in the formats of other programs. The commands are in `export/`. */
import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "export",
  commands: {
    "flashinfer-trace": {
      about: "Write the results of boards as FlashInfer Trace documents",
      load: () => import("./export/flashinfer-trace.ts"),
    },
    harbor: { about: "Write Harbor tasks that this server verifies", load: () => import("./export/harbor.ts") },
    kernel: { about: "Write a kernel repository of the Hugging Face Hub", load: () => import("./export/kernel.ts") },
    package: { about: "Write a Python package with a kernel and its tests", load: () => import("./export/package.ts") },
  },
});
