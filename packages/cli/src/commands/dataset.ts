/** `kernelbot dataset`: data of competitions that have ended. The commands are in `dataset/`. */
import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "dataset",
  commands: {
    list: { about: "List the snapshots on the server", load: () => import("./dataset/list.ts") },
    download: { about: "Download a snapshot and verify its checksums", load: () => import("./dataset/download.ts") },
    info: { about: "Show the tables of a dataset", load: () => import("./dataset/info.ts") },
    query: { about: "Run a SQL query on a dataset", load: () => import("./dataset/query.ts") },
    top: { about: "Rank the participants of each leaderboard", load: () => import("./dataset/top.ts") },
    progress: { about: "Show the submissions of one user over time", load: () => import("./dataset/progress.ts") },
    fastest: { about: "Show the record runtimes of each leaderboard", load: () => import("./dataset/fastest.ts") },
    failures: { about: "Count failed runs by failure class", load: () => import("./dataset/failures.ts") },
    techniques: {
      about: "Count the optimisation techniques in the best kernels",
      load: () => import("./dataset/techniques.ts"),
    },
    clusters: { about: "Find near-duplicate kernels", load: () => import("./dataset/clusters.ts") },
    speedup: { about: "Summarise the speedups over the reference", load: () => import("./dataset/speedup.ts") },
    export: { about: "Create a snapshot on the server and download it", load: () => import("./dataset/export.ts") },
    publish: { about: "Publish a snapshot to an external destination", load: () => import("./dataset/publish.ts") },
    import: {
      about: "Import a competition that ended elsewhere",
      load: () => import("./dataset/import.ts"),
    },
  },
});
