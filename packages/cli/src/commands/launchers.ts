import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "launchers",
  default: "list",
  commands: {
    list: {
      about: "List launchers, their spending and the latest launches",
      load: () => import("./launchers/list.ts"),
    },
    end: { about: "End a launch", load: () => import("./launchers/end.ts") },
  },
});
