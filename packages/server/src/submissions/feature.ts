import type { Feature } from "../feature.ts";
import { SUBMISSIONS_TABLES } from "./personal-data.ts";
import { setServerLimits } from "./raised-limits.ts";
import { compareEndpoints } from "./routes/compare.ts";
import { editorPages } from "./routes/editor-pages.ts";
import { licenceEndpoints } from "./routes/licences.ts";
import { limitEndpoints } from "./routes/limits.ts";
import { submissionPages } from "./routes/submission-pages.ts";
import { submissionEndpoints } from "./routes/submissions.ts";

export const submissions: Feature = {
  name: "submissions",
  personalData: SUBMISSIONS_TABLES,
  otherTables: ["submission_limit", "code", "intake_gate"],
  endpoints: [...submissionEndpoints, ...limitEndpoints, ...licenceEndpoints, ...compareEndpoints],
  pages: [...submissionPages, ...editorPages],
  prepare: ({ database, options, patiently }) => patiently(() => setServerLimits(database, options.limits)),
};
