import type { Runnable } from "../command/command.ts";
import { defineGroup } from "../command/group.ts";

const group = defineGroup({
  name: "tokens",
  about: "Your tokens: what lets programs act as you. The bare name lists them.",
  commands: {
    list: { about: "list them", load: () => import("./tokens/list.ts") },
    create: { about: "make one", load: () => import("./tokens/create.ts") },
    revoke: { about: "end one", load: () => import("./tokens/revoke.ts") },
  },
});

export const command: Runnable = {
  help: group.help,
  run: (args) => group.run(args[0] === undefined || args[0].startsWith("-") ? ["list", ...args] : args),
};
