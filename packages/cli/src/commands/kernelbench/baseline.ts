import { defineGroup } from "../../command/group.ts";

export const command = defineGroup({
  name: "kernelbench baseline",
  commands: {
    upload: { about: "Upload the times of a baseline file", load: () => import("./baseline/upload.ts") },
  },
});
