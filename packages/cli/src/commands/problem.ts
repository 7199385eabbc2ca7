/** `kernelbot problem`: commands for authors of problems, in `problem/`. */
import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "problem",
  commands: {
    new: { about: "Create a problem from a template that passes every check", load: () => import("./problem/new.ts") },
    generate: {
      about: "Generate problems for training from a seed",
      load: () => import("./problem/generate.ts"),
    },
    import: {
      about: "Write the problems of a FlashInfer Trace data set",
      load: () => import("./problem/import.ts"),
    },
    check: { about: "Check problems and list every fault", load: () => import("./problem/check.ts") },
  },
});
