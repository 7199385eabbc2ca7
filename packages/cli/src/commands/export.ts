/** `kernelbot export`: problems in the formats of other programs. The commands are in `export/`. */
import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "export",
  commands: {
    harbor: { about: "Write Harbor tasks that this server verifies", load: () => import("./export/harbor.ts") },
  },
});
