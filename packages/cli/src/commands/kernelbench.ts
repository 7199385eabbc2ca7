import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "kernelbench",
  about: "Makes, checks and submits the kernels of a model for KernelBench, and reads how they came out.",
  commands: {
    generate: { about: "ask a model for kernels", load: () => import("./kernelbench/generate.ts") },
    validate: {
      about: "say all that is wrong with a submission file",
      load: () => import("./kernelbench/validate.ts"),
    },
    combine: {
      about: "make a submission file of generated kernels",
      load: () => import("./kernelbench/combine.ts"),
    },
    split: { about: "make a submission file folders of kernels again", load: () => import("./kernelbench/split.ts") },
    submit: { about: "hand in a submission file as an entry", load: () => import("./kernelbench/submit.ts") },
    watch: { about: "show how far an entry is until it ends", load: () => import("./kernelbench/watch.ts") },
    list: { about: "list entries, the best first", load: () => import("./kernelbench/list.ts") },
    show: { about: "show an entry with its figures", load: () => import("./kernelbench/show.ts") },
    stop: { about: "stop an entry", load: () => import("./kernelbench/stop.ts") },
    resume: { about: "ask again for what waits or was lost", load: () => import("./kernelbench/resume.ts") },
    publish: { about: "show an entry to everybody", load: () => import("./kernelbench/publish.ts") },
    score: { about: "compute the figures of an entry here", load: () => import("./kernelbench/score.ts") },
    results: { about: "write what tools for KernelBench read", load: () => import("./kernelbench/results.ts") },
    suites: { about: "list the suites", load: () => import("./kernelbench/suites.ts") },
    baselines: { about: "list the stored baselines", load: () => import("./kernelbench/baselines.ts") },
    baseline: { about: "store baselines, for organisers", load: () => import("./kernelbench/baseline.ts") },
    suite: { about: "make and show suites of problems", load: () => import("./kernelbench/suite.ts") },
  },
});
