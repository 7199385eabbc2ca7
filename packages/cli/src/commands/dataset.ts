import { defineGroup } from "../group.ts";

export const command = defineGroup({
  name: "dataset",
  about: "Exports, downloads and publishes the data of competitions that have ended.",
  commands: {
    list: { about: "list the snapshots of the data", load: () => import("./dataset/list.ts") },
    download: { about: "download a snapshot and check it", load: () => import("./dataset/download.ts") },
    export: { about: "have a snapshot made, and download it", load: () => import("./dataset/export.ts") },
    publish: { about: "publish a snapshot elsewhere", load: () => import("./dataset/publish.ts") },
  },
});
