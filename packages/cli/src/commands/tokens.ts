import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "tokens",
  default: "list",
  commands: {
    list: { about: "List your tokens, newest first", load: () => import("./tokens/list.ts") },
    create: { about: "Create a token and print it", load: () => import("./tokens/create.ts") },
    revoke: { about: "Revoke a token", load: () => import("./tokens/revoke.ts") },
  },
});
