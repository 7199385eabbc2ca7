/** `kernelbot dataset`: data of ended competitions. The commands are in `dataset/`. */
import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "dataset",
  about: "The data of competitions: gets it from a server, reads it without one, and brings in what ended elsewhere.",
  commands: {
    list: { about: "list the snapshots of the data", load: () => import("./dataset/list.ts") },
    download: { about: "download a snapshot and check it", load: () => import("./dataset/download.ts") },
    info: { about: "say what a dataset holds", load: () => import("./dataset/info.ts") },
    query: { about: "answer SQL over its files", load: () => import("./dataset/query.ts") },
    top: { about: "rank the contestants of each board", load: () => import("./dataset/top.ts") },
    progress: { about: "show how an author came along", load: () => import("./dataset/progress.ts") },
    fastest: { about: "show how records fell over time", load: () => import("./dataset/fastest.ts") },
    failures: { about: "count how runs fail", load: () => import("./dataset/failures.ts") },
    techniques: { about: "say which techniques the fastest use", load: () => import("./dataset/techniques.ts") },
    clusters: { about: "find kernels that are nearly the same", load: () => import("./dataset/clusters.ts") },
    speedup: { about: "sum up the speed-up over the reference", load: () => import("./dataset/speedup.ts") },
    export: { about: "have a snapshot made, and download it", load: () => import("./dataset/export.ts") },
    publish: { about: "publish a snapshot elsewhere", load: () => import("./dataset/publish.ts") },
    import: {
      about: "bring in a competition that ended elsewhere, for administrators",
      load: () => import("./dataset/import.ts"),
    },
  },
});
