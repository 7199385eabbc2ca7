import { defineGroup } from "../../command/group.ts";

export const command = defineGroup({
  name: "kernelbench suite",
  about: "Makes suites of problems from KernelBench checkouts, and shows them.",
  commands: {
    show: { about: "show a suite with its problems", load: () => import("./suite/show.ts") },
    inspect: { about: "make a suite's file from a checkout", load: () => import("./suite/inspect.ts") },
    upload: { about: "hand a suite's file to the server, for organisers", load: () => import("./suite/upload.ts") },
  },
});
