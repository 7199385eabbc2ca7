/** What the tables of this folder store about a person. */
import { OWN_RUNS, OWN_SUBMISSIONS, ROLE_RECORD, deleted, kept, type PersonalTable } from "../db/personal-tables.ts";

/** In the order in which an erasure executes their statements. */
export const DATASET_TABLES: readonly PersonalTable[] = [
  deleted("imported_account", "identifiers at a system from which submissions were imported", {
    omit: ["cli_hash"],
    how: "deleted; another import from the same source creates an account for that user again",
  }),
  kept(
    "imported_run",
    "numbers of imported runs at their source",
    "kept, so that another import does not create the runs again",
    { rows: `run_id in ${OWN_RUNS}` },
  ),
  kept("import", "imports of competitions", "kept under the pseudonym", { notExported: ROLE_RECORD }),
  kept("dataset_snapshot", "snapshots that the person requested", "kept under the pseudonym", {
    accounts: ["requested_by"],
    rows: "requested_by = $1",
    notExported: ROLE_RECORD,
  }),
  kept("dataset_publication", "publications that the person requested", "kept under the pseudonym", {
    accounts: ["requested_by"],
    rows: "requested_by = $1",
    notExported: ROLE_RECORD,
  }),
  kept(
    "dataset_number",
    "which submissions are published, and when",
    "kept, so that the next snapshot lists the submissions as withdrawn",
    { rows: `submission_id in ${OWN_SUBMISSIONS}` },
  ),
];
