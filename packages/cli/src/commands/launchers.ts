import type { Runnable } from "../command/command.ts";
import { defineGroup } from "../command/group.ts";

const group = defineGroup({
  name: "launchers",
  about: "What starts runners, for administrators: what it may spend, and its launches. The bare name lists them.",
  commands: {
    list: { about: "list them, and the latest launches", load: () => import("./launchers/list.ts") },
    end: { about: "end a launch before its time", load: () => import("./launchers/end.ts") },
  },
});

export const command: Runnable = {
  help: group.help,
  run: (args) => group.run(args[0] === undefined || args[0].startsWith("-") ? ["list", ...args] : args),
};
