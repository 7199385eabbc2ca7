import { defineGroup } from "../command/group.ts";

export const command = defineGroup({
  name: "kernelbench",
  commands: {
    generate: { about: "Generate kernels with a model", load: () => import("./kernelbench/generate.ts") },
    validate: {
      about: "Check a submission file and list every fault",
      load: () => import("./kernelbench/validate.ts"),
    },
    combine: {
      about: "Combine generated kernels into a submission file",
      load: () => import("./kernelbench/combine.ts"),
    },
    split: { about: "Split a submission file into folders of kernels", load: () => import("./kernelbench/split.ts") },
    submit: { about: "Submit a submission file as an entry", load: () => import("./kernelbench/submit.ts") },
    watch: { about: "Watch an entry until it ends", load: () => import("./kernelbench/watch.ts") },
    list: { about: "List entries, best first", load: () => import("./kernelbench/list.ts") },
    show: { about: "Show an entry with its metrics", load: () => import("./kernelbench/show.ts") },
    stop: { about: "Stop an entry", load: () => import("./kernelbench/stop.ts") },
    resume: {
      about: "Requeue the waiting and lost kernels of an entry",
      load: () => import("./kernelbench/resume.ts"),
    },
    publish: { about: "Publish an entry permanently", load: () => import("./kernelbench/publish.ts") },
    score: {
      about: "Compute the metrics of an entry or of measured results",
      load: () => import("./kernelbench/score.ts"),
    },
    results: { about: "Export an entry for other KernelBench tools", load: () => import("./kernelbench/results.ts") },
    suites: { about: "List the suites", load: () => import("./kernelbench/suites.ts") },
    baselines: { about: "List the stored baselines", load: () => import("./kernelbench/baselines.ts") },
    baseline: { about: "Upload baselines; for organisers", load: () => import("./kernelbench/baseline.ts") },
    suite: { about: "Create, show and upload suites", load: () => import("./kernelbench/suite.ts") },
  },
});
