import { defineGroup } from "../../command/group.ts";

export const command = defineGroup({
  name: "kernelbench suite",
  commands: {
    show: { about: "Show a suite with its problems", load: () => import("./suite/show.ts") },
    inspect: { about: "Create a suite file from a checkout", load: () => import("./suite/inspect.ts") },
    upload: { about: "Upload a suite file to the server; for organisers", load: () => import("./suite/upload.ts") },
  },
});
