import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "problems",
  default: "list",
  commands: {
    list: { about: "List the problems with their targets", load: () => import("./problems/list.ts") },
    uploads: {
      about: "List the problems that you uploaded for evaluations, the last used first",
      load: () => import("./problems/uploads.ts"),
    },
    "delete-upload": {
      about: "Delete a problem that you uploaded for evaluations",
      load: () => import("./problems/delete-upload.ts"),
    },
    sync: {
      about: "Upload problems from a folder or a Git repository",
      load: () => import("./problems/sync.ts"),
    },
  },
});
