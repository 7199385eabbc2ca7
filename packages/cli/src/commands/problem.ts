/** `kernelbot problem`: commands for authors of problems, in `problem/`. */
import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "problem",
  commands: {
    new: { about: "Create a problem from a template that passes every check", load: () => import("./problem/new.ts") },
    check: { about: "Check problems and list every fault", load: () => import("./problem/check.ts") },
  },
});
