import type { Feature } from "../feature.ts";
import { HOUR_MS } from "../jobs/intervals.ts";
import { RUNNERS_TABLES } from "./personal-data.ts";
import { forgetRunners } from "./presence.ts";
import { runnerPages } from "./routes/runner-pages.ts";
import { runnerEndpoints } from "./routes/runner.ts";
import { runnersEndpoints } from "./routes/runners.ts";

export const runners: Feature = {
  name: "runners",
  personalData: RUNNERS_TABLES,
  otherTables: ["machine", "canary"],
  endpoints: [...runnersEndpoints, ...runnerEndpoints],
  pages: runnerPages,
  jobs: ({ database }) => [{ name: "forget runners", everyMs: HOUR_MS, run: () => forgetRunners(database) }],
};
