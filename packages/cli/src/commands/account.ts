import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "account",
  commands: {
    export: {
      about: "Download everything that the server stores about you",
      load: () => import("./account/export.ts"),
    },
    erase: { about: "Erase your account and your data", load: () => import("./account/erase.ts") },
  },
});
