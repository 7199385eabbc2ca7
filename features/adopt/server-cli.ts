import type { ServerCommand } from "@kernelbot/server/src/server-command.ts";
import { OPTIONS, SHAPE } from "./options.ts";

export const adopt: ServerCommand<typeof SHAPE> = {
  about: "Move the data of an existing KernelBot (in Python) to this server",
  options: OPTIONS,
  shape: SHAPE,
  load: () => import("./command.ts"),
};
