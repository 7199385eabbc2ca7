import type { Runnable } from "../command/command.ts";
import { defineGroup } from "../command/group.ts";

const group = defineGroup({
  name: "problems",
  about: "The problems of a server. The bare name lists them.",
  commands: {
    list: { about: "list the problems and the targets of each", load: () => import("./problems/list.ts") },
    sync: {
      about: "take problems from a folder or a repository, for organisers",
      load: () => import("./problems/sync.ts"),
    },
  },
});

export const command: Runnable = {
  help: group.help,
  run: (args) => group.run(args[0] === undefined || args[0].startsWith("-") ? ["list", ...args] : args),
};
