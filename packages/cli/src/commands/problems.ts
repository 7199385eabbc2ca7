import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "problems",
  default: "list",
  commands: {
    list: { about: "List the problems with their targets", load: () => import("./problems/list.ts") },
    sync: {
      about: "Upload problems from a folder or a Git repository",
      load: () => import("./problems/sync.ts"),
    },
  },
});
