/** `kernelbot export`: problems and kernels in the formats of other programs. Optional features add the commands. */
import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "export",
  commands: {},
});
