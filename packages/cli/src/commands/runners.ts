import type { Runnable } from "../command/command.ts";
import { defineGroup } from "../command/group.ts";

const group = defineGroup({
  name: "runners",
  about: "The runners, for administrators: who works, how well, and what they are told. The bare name lists them.",
  commands: {
    list: { about: "list them, and what each does now", load: () => import("./runners/list.ts") },
    show: { about: "show one: its machine, its errors, its canary", load: () => import("./runners/show.ts") },
    add: {
      about: "make what a new runner joins with, and say how to start it",
      load: () => import("./runners/add.ts"),
    },
    pause: { about: "have runners claim nothing until they are resumed", load: () => import("./runners/pause.ts") },
    resume: { about: "let them claim again", load: () => import("./runners/resume.ts") },
    drain: { about: "have them finish what they do, and end", load: () => import("./runners/drain.ts") },
    revoke: { about: "end what a runner joined with", load: () => import("./runners/revoke.ts") },
    tokens: { about: "list what runners can join with", load: () => import("./runners/tokens.ts") },
  },
});

export const command: Runnable = {
  help: group.help,
  run: (args) => group.run(args[0] === undefined || args[0].startsWith("-") ? ["list", ...args] : args),
};
