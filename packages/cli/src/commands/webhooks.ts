/** `kernelbot webhooks`: URLs that receive events. The commands are in `webhooks/`. */
import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "webhooks",
  commands: {
    list: { about: "List your webhooks and their state", load: () => import("./webhooks/list.ts") },
    add: { about: "Create a webhook and print its secret once", load: () => import("./webhooks/add.ts") },
    test: { about: "Send a test event", load: () => import("./webhooks/test.ts") },
    log: { about: "Show the deliveries of a webhook, newest first", load: () => import("./webhooks/log.ts") },
    redeliver: { about: "Send a delivery again", load: () => import("./webhooks/redeliver.ts") },
    pause: { about: "Pause a webhook until it is resumed", load: () => import("./webhooks/pause.ts") },
    resume: { about: "Resume a paused webhook", load: () => import("./webhooks/resume.ts") },
    delete: { about: "Delete a webhook and its log", load: () => import("./webhooks/delete.ts") },
  },
});
