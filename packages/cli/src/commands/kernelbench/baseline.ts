import { defineGroup } from "../../command/group.ts";

export const command = defineGroup({
  name: "kernelbench baseline",
  about: "Stores baselines, for organisers; kernelbot kernelbench baselines lists them.",
  commands: {
    upload: { about: "store the times of a file of baselines", load: () => import("./baseline/upload.ts") },
  },
});
