/** What the tables of this folder store about a person. */
import { AGED, STAYS_RANKED, OWN_SUBMISSIONS, deleted, redacted, type PersonalTable } from "../db/personal-tables.ts";

/** In the order in which an erasure executes their statements. */
export const SUBMISSIONS_TABLES: readonly PersonalTable[] = [
  deleted("account_limit", "limits raised for the person"),
  redacted(
    "submission",
    "submissions; the export has their sources as files",
    `source and file name are deleted; ${STAYS_RANKED}`,
    { accounts: ["account_id", "removed_by", "entered_by"], omit: ["removed_by", "entered_by"] },
  ),
  deleted("transcript", "transcripts attached to submissions", {
    rows: `submission_id in ${OWN_SUBMISSIONS}`,
    how: AGED,
    erase: null,
  }),
  deleted("submission_trace", "trace identifiers of submissions", {
    rows: `submission_id in ${OWN_SUBMISSIONS}`,
    notExported: "random numbers for operators",
  }),
];
