/** `kernelbot webhooks`: addresses that receive events. The commands are in `webhooks/`. */
import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "webhooks",
  about: "Addresses that are told when something happens that concerns you.",
  commands: {
    list: { about: "list your webhooks, and how they fare", load: () => import("./webhooks/list.ts") },
    add: { about: "register an address; tells its secret once", load: () => import("./webhooks/add.ts") },
    test: { about: "send a test event", load: () => import("./webhooks/test.ts") },
    log: { about: "show what a webhook was told, and how that went", load: () => import("./webhooks/log.ts") },
    redeliver: { about: "send a delivery again", load: () => import("./webhooks/redeliver.ts") },
    pause: { about: "send nothing until it is resumed", load: () => import("./webhooks/pause.ts") },
    resume: { about: "go on with a paused one", load: () => import("./webhooks/resume.ts") },
    delete: { about: "delete a webhook and its log", load: () => import("./webhooks/delete.ts") },
  },
});
