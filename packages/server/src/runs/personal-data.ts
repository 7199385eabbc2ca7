/** What the tables of this folder store about a person. */
import { STAYS_RANKED, OWN_RUNS, OWN_SUBMISSIONS, kept, redacted, type PersonalTable } from "../db/personal-tables.ts";

/** In the order in which an erasure executes their statements. */
export const RUNS_TABLES: readonly PersonalTable[] = [
  redacted("run", "runs with their results", `messages are deleted; ${STAYS_RANKED}`, { omit: ["token_id", "review"] }),
  redacted(
    "stage_result",
    "stages of runs, with their outputs",
    "deleted; those of ranked runs remain without outputs",
    { rows: `run_id in ${OWN_RUNS}` },
  ),
  redacted(
    "case_result",
    "cases of runs, with their samples",
    "deleted; the samples of ranked runs remain, because their receipts state them",
    { rows: `run_id in ${OWN_RUNS}` },
  ),
  redacted("event", "event logs of submissions", "outputs, messages and findings are deleted", {
    rows: `submission_id in ${OWN_SUBMISSIONS}`,
  }),
  redacted(
    "receipt",
    "signatures of ranked results, with the name of the person",
    "signed again with the pseudonym; a copy that someone downloaded earlier remains valid",
    { rows: `run_id in ${OWN_RUNS}` },
  ),
  kept(
    "application_result",
    "whether a source works in an application",
    "kept without the source, because leaderboards depend on it",
    { rows: "code_hash in (select code_hash from submission where account_id = $1)" },
  ),
];
