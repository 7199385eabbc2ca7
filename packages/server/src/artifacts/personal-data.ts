/** What the tables of this folder store about a person. */
import { OWN_RUNS, redacted, type PersonalTable } from "../db/personal-tables.ts";

export const ARTIFACTS_TABLES: readonly PersonalTable[] = [
  redacted(
    "artifact",
    "files of runs; the export has them as files",
    "the files are deleted by the background job; their names remain",
    { rows: `run_id in ${OWN_RUNS}` },
  ),
];
