import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "runners",
  default: "list",
  commands: {
    list: { about: "List the runners and what each is doing", load: () => import("./runners/list.ts") },
    show: { about: "Show a runner: machine, versions, errors and canary", load: () => import("./runners/show.ts") },
    add: {
      about: "Create a join token and print the command that starts a runner",
      load: () => import("./runners/add.ts"),
    },
    pause: { about: "Pause runners until they are resumed", load: () => import("./runners/pause.ts") },
    resume: { about: "Resume paused or drained runners", load: () => import("./runners/resume.ts") },
    drain: { about: "Let runners finish their current run and exit", load: () => import("./runners/drain.ts") },
    revoke: { about: "Revoke the join token of runners", load: () => import("./runners/revoke.ts") },
    tokens: { about: "List join tokens, newest first", load: () => import("./runners/tokens.ts") },
  },
});
