import type { Feature } from "../feature.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../jobs/intervals.ts";
import { deleteOldEvaluations } from "./delete-old.ts";
import { expireEvaluations } from "./end.ts";
import { EVALUATIONS_TABLES } from "./personal-data.ts";
import { evaluationEndpoints } from "./routes/evaluations.ts";
import { sessionEndpoints } from "./routes/sessions.ts";

export const evaluations: Feature = {
  name: "evaluations",
  personalData: EVALUATIONS_TABLES,
  endpoints: [...evaluationEndpoints, ...sessionEndpoints],
  jobs: ({ database, store, options }) => [
    { name: "expire evaluations", everyMs: SECOND_MS, long: true, run: () => expireEvaluations(database) },
    {
      name: "delete old evaluations",
      everyMs: MINUTE_MS,
      long: true,
      run: () => deleteOldEvaluations(database, store, options.keepEvaluations * DAY_MS),
    },
  ],
};
