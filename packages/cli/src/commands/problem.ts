/** `kernelbot problem`: commands for authors of problems, in `problem/`. */
import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "problem",
  about: "Makes problem directories, and says what is wrong with them. No server is asked.",
  commands: {
    new: { about: "write a complete problem to start from", load: () => import("./problem/new.ts") },
    check: { about: "say what is wrong with problems", load: () => import("./problem/check.ts") },
  },
});
