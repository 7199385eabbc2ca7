import type { Feature } from "../feature.ts";
import { MINUTE_MS, DAY_MS } from "../jobs/intervals.ts";
import { ARTIFACTS_TABLES } from "./personal-data.ts";
import { deleteOldArtifacts } from "./retention.ts";
import { artifactEndpoints } from "./routes/artifacts.ts";

export const artifacts: Feature = {
  name: "artifacts",
  personalData: ARTIFACTS_TABLES,
  endpoints: artifactEndpoints,
  jobs: ({ database, store, options }) => [
    {
      name: "delete old artifacts",
      everyMs: MINUTE_MS,
      run: () => deleteOldArtifacts(database, store, options.keepArtifacts * DAY_MS),
    },
  ],
};
