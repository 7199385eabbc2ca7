/** `kernelbot publish`: what leaves this machine for a hub. */
import { defineGroup } from "@kernelbot/cli/src/command/group.ts";

export const command = defineGroup({
  name: "publish",
  commands: {
    kernel: { about: "Publish an exported kernel to the Hugging Face Hub", load: () => import("./publish-kernel.ts") },
  },
});
