/** What the tables of this folder store about a person. */
import { AGED, deleted, type PersonalTable } from "../db/personal-tables.ts";

const OWN_SESSIONS = "(select id from evaluation_session where account_id = $1)";

/** In the order in which an erasure executes their statements. */
export const EVALUATIONS_TABLES: readonly PersonalTable[] = [
  deleted("evaluation", "evaluations, with their tags", {
    omit: ["request_hash"],
    how: AGED,
    erase: "update evaluation set ended_at = 'epoch' where account_id = $1 and ended_at is not null",
  }),
  deleted("evaluation_batch", "batches of evaluations", {
    omit: ["request_hash"],
    how: AGED,
    erase: "update evaluation_batch set created_at = 'epoch' where account_id = $1",
  }),
  deleted("evaluation_session_note", "notes of agents", { rows: `session_id in ${OWN_SESSIONS}` }),
  deleted("evaluation_session", "sessions of evaluations", {
    omit: ["request_hash"],
    how: AGED,
    erase: "update evaluation_session set ends_at = 'epoch' where account_id = $1",
  }),
  deleted("problem_version", "files of problems that the person uploaded for evaluations", {
    rows: "hash in (select version from uploaded_problem where account_id = $1)",
    how: `${AGED}, unless someone else uploaded the same files`,
    erase: null,
  }),
  deleted("uploaded_problem", "problems that the person uploaded for evaluations", {
    how: AGED,
    erase: "update uploaded_problem set used_at = 'epoch' where account_id = $1",
  }),
];
