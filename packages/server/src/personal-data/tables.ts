/**
 * What the database stores about a person, by table. The export, the erasure and the reference page of the documentation
 * are made from this list, and a test compares it with the foreign keys of the database: a new table that refers to
 * accounts needs a row here.
 */
import type { ErasureKind } from "@kernelbot/core";
import type { Tables } from "../db/tables.ts";

export interface PersonalTable {
  table: keyof Tables;
  /** What the rows are, for the reference page. */
  content: string;
  /** Columns with the id of an account: foreign keys, and copies without one. */
  accounts: readonly string[];
  /** SQL condition for the rows `t` about the account `$1`. */
  rows: string;
  /** Columns that the export leaves out: secrets, and what identifies other people. */
  omit?: readonly string[];
  /** Why the rows are not exported; undefined for those that are. */
  notExported?: string;
  erasure: ErasureKind;
  /** What the erasure does with the rows, or why it keeps them. */
  how: string;
  /** SQL statement of the erasure for the account `$1`; null where a background job, another table or nothing changes the rows. */
  erase: string | null;
}

type Details = Partial<Pick<PersonalTable, "accounts" | "rows" | "omit" | "notExported" | "how" | "erase">>;

/** By default, the rows of a person are those with the `account_id`, the only reference where `rows` is absent. */
function personal(
  table: keyof Tables,
  content: string,
  erasure: ErasureKind,
  { rows, ...details }: Details & { how: string },
): PersonalTable {
  const accounts = rows === undefined ? ["account_id"] : [];
  return { table, content, accounts, rows: rows ?? OWN, erasure, erase: null, ...details };
}

/** By default, the erasure deletes the rows with a statement. */
const deleted = (table: keyof Tables, content: string, details: Details = {}): PersonalTable =>
  personal(table, content, "deleted", {
    ...{ how: "deleted", erase: `delete from ${table} where ${details.rows ?? OWN}` },
    ...details,
  });

const redacted = (table: keyof Tables, content: string, how: string, details: Details = {}): PersonalTable =>
  personal(table, content, "redacted", { how, ...details });

const kept = (table: keyof Tables, content: string, how: string, details: Details = {}): PersonalTable =>
  personal(table, content, "kept", { how, ...details });

const OWN = "account_id = $1";
const OWN_SUBMISSIONS = "(select id from submission where account_id = $1)";
const OWN_RUNS = "(select id from run where account_id = $1)";
const OWN_SESSIONS = "(select id from evaluation_session where account_id = $1)";
const OWN_WEBHOOKS = "(select id from webhook where account_id = $1)";
const OWN_LAUNCHES = `(select p.issuer from lti_platform p where p.id = platform_id) || ' ' || subject
  in (select i.subject from linked_identity i where i.provider = 'lti' and i.account_id = $1)`;
const BOARDS = "results stay on leaderboards, under the pseudonym";
const ROLE_RECORD = "a record of work with a role; the audit log has the action, which is exported";
const SHORT = "expires within a day";

/** The statement makes a row older than any retention time. */
const AGED = "deleted by the background job, within minutes";

/** In the order in which the statements of the erasure are executed. */
export const PERSONAL_TABLES: readonly PersonalTable[] = [
  // Sign-in.
  deleted("email_link", "links sent to an e-mail address", {
    accounts: ["account_id"],
    rows: "account_id = $1 or address in (select subject from linked_identity where provider = 'email' and account_id = $1)",
    notExported: SHORT,
  }),
  deleted("lti_launch", "launches from a learning platform within ten minutes", {
    rows: OWN_LAUNCHES,
    notExported: SHORT,
  }),
  deleted("linked_identity", "e-mail addresses, and accounts at identity providers with their groups"),
  deleted("session", "signed-in browsers, with their addresses", { omit: ["hash"] }),
  deleted("oauth_state", "sign-ins in progress", { notExported: SHORT }),
  deleted("sign_in_link", "sign-in links", {
    accounts: ["account_id", "organiser_id"],
    rows: "account_id = $1 or organiser_id = $1",
    notExported: "expires within a week",
  }),
  deleted("device_code", "programs that ask to be signed in", { notExported: SHORT }),
  deleted("throttle", "counts of attempts within an hour", { rows: "who = $1", notExported: SHORT }),
  redacted(
    "token",
    "tokens of programs",
    "revoked; hash, label and last use are overwritten. The rows remain, because runs refer to them",
    {
      omit: ["hash"],
      erase: `update token set revoked_at = coalesce(revoked_at, now()), label = 'deleted', last_used_at = null,
      hash = sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
      where account_id = $1`,
    },
  ),
  deleted("imported_account", "identifiers at a system from which submissions were imported", {
    how: "deleted; another import from the same source creates an account for that user again",
  }),

  // Competitions, courses and teams.
  deleted("competition_organiser", "competitions that the person organises"),
  kept("invite", "invite codes that the person used or created", "kept, so that the code cannot be used again", {
    accounts: ["created_by", "claimed_by"],
    rows: "claimed_by = $1 or created_by = $1",
    omit: ["code", "created_by", "claimed_by"],
  }),
  kept("invite_link", "invite links that the person created", "kept; others joined by them", {
    accounts: ["created_by"],
    rows: "created_by = $1",
    omit: ["hash"],
  }),
  kept("invite_link_use", "invite links by which the person joined", "kept, as part of the count of the link"),
  deleted("wrong_code", "invalid codes entered within an hour", { notExported: SHORT }),
  kept("course_extension", "deadlines of the person in courses", "kept with the roster", {
    rows: "(competition, email) in (select competition, email from course_student where account_id = $1)",
  }),
  redacted(
    "course_student",
    "row of the person on the roster of a course",
    "the account is taken off the row. Name and e-mail address remain on the roster, which the organiser of the course keeps and can delete",
    {
      erase:
        "update course_student set account_id = null, enrolled_by = null, enrolled_at = null where account_id = $1",
    },
  ),
  deleted("lti_registration", "links by which a learning platform registers this server", {
    accounts: ["created_by"],
    rows: "created_by = $1",
    notExported: "expires within a week",
  }),
  kept("lti_link", "links to learning platforms that the person created", "kept; courses are opened by them", {
    accounts: ["created_by"],
    rows: "created_by = $1",
    omit: ["hash"],
  }),
  deleted("lti_member", "user id of the person at the learning platform of a course"),
  deleted("lti_score", "grades that a learning platform receives", {
    how: "deleted; the platform keeps what it has received",
  }),
  kept("team", "teams of the person", "kept; a team has other members", {
    rows: "id in (select team_id from team_member where account_id = $1)",
    omit: ["code", "name_skeleton"],
  }),
  kept(
    "team_member",
    "memberships in teams",
    "the pseudonym stays a member, so that the rows of leaderboards do not change",
  ),
  deleted("account_limit", "limits raised for the person"),

  // Submissions. The background job deletes their sources and outputs.
  deleted("discord_submission", "submissions made at Discord, with the Discord user", {
    omit: ["token", "interaction_id"],
    how: "deleted; messages at Discord remain there",
  }),
  redacted(
    "submission",
    "submissions; the export has their sources as files",
    `source and file name are deleted; ${BOARDS}`,
    { accounts: ["account_id", "removed_by", "entered_by"], omit: ["removed_by", "entered_by"] },
  ),
  redacted("run", "runs with their results", `messages are deleted; ${BOARDS}`, { omit: ["token_id", "review"] }),
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
  redacted(
    "artifact",
    "files of runs; the export has them as files",
    "the files are deleted by the background job; their names remain",
    { rows: `run_id in ${OWN_RUNS}` },
  ),
  redacted("event", "event logs of submissions", "outputs, messages and findings are deleted", {
    rows: `submission_id in ${OWN_SUBMISSIONS}`,
  }),
  deleted("transcript", "transcripts attached to submissions", {
    rows: `submission_id in ${OWN_SUBMISSIONS}`,
    how: AGED,
    erase: null,
  }),
  deleted("submission_trace", "trace identifiers of submissions", {
    rows: `submission_id in ${OWN_SUBMISSIONS}`,
    notExported: "random numbers for operators",
  }),
  redacted(
    "receipt",
    "signatures of ranked results, with the name of the person",
    "signed again with the pseudonym; a copy that someone downloaded earlier remains valid",
    { rows: `run_id in ${OWN_RUNS}` },
  ),
  kept("ranking", "entries of leaderboards", BOARDS, { notExported: "computed from the runs, which are exported" }),
  kept(
    "application_result",
    "whether a source works in an application",
    "kept without the source, because leaderboards depend on it",
    { rows: "code_hash in (select code_hash from submission where account_id = $1)" },
  ),
  kept(
    "imported_run",
    "numbers of imported runs at their source",
    "kept, so that another import does not create the runs again",
    { rows: `run_id in ${OWN_RUNS}` },
  ),
  kept("fair_share", "position of the account in the queues", "kept; has numbers only", {
    notExported: "state of the queue",
  }),

  // Moderation.
  redacted(
    "decision",
    "decisions of moderators about the person, with appeals",
    "texts of appeals are deleted; decisions and their reasons remain, as a record of how entries were judged",
    {
      accounts: ["account_id", "decided_by"],
      omit: ["decided_by"],
      erase: "update decision set appeal = 'deleted with the account' where account_id = $1 and appeal is not null",
    },
  ),
  kept(
    "flag",
    "reports that the person made; not what others or checks reported about the person's runs",
    "kept, as a record of how entries were judged",
    { omit: ["account_id", "evidence_run"] },
  ),

  // Evaluations and KernelBench.
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
  redacted(
    "kernelbench_entry",
    "KernelBench entries",
    "organisation and notes are deleted, and no more kernels are submitted; scores and the model's name stay under the pseudonym",
    {
      erase: `update kernelbench_entry set stopped_at = coalesce(stopped_at, now()), idempotency_key = null,
      metadata = (metadata::jsonb - 'run_name' || '{"organization": "", "notes": ""}')::json where account_id = $1`,
    },
  ),
  kept(
    "kernelbench_kernel",
    "kernels of entries",
    "kept without sources, because scores are computed from their runs",
    { rows: "entry_id in (select id from kernelbench_entry where account_id = $1)" },
  ),
  kept("kernelbench_result", "times of kernels of entries", "kept; has numbers only", {
    rows: `run_id in ${OWN_RUNS}`,
  }),
  kept("kernelbench_baseline", "baselines that the person stored", "kept; scores refer to them"),

  // Webhooks.
  deleted("webhook_delivery", "deliveries to the person's webhooks", {
    rows: `webhook_id in ${OWN_WEBHOOKS}`,
    how: "deleted with the webhook",
    erase: null,
  }),
  deleted("webhook_board", "ranks last sent to the person's webhooks", {
    rows: `webhook_id in ${OWN_WEBHOOKS}`,
    notExported: "state of the deliveries, which are exported",
    how: "deleted with the webhook; the name is replaced in ranks that were sent to webhooks of others",
    erase: `update webhook_board set sent_ranks = (
        select json_agg(case when r ->> 'id' = $1 then (r::jsonb || '{"name": "deleted"}')::json else r end)
        from json_array_elements(sent_ranks) as r)
      where sent_ranks::jsonb @> jsonb_build_array(jsonb_build_object('id', $1::text))`,
  }),
  deleted("webhook", "webhooks", { omit: ["secret"] }),

  // What the person did with a role.
  kept(
    "runner",
    "runners with a token of the person, or whose state the person set",
    "kept while the runner is listed",
    {
      accounts: ["admin_state_by"],
      rows: "token_id in (select id from token where account_id = $1) or admin_state_by = $1",
      omit: ["token_id", "admin_state_by", "errors_of"],
    },
  ),
  kept("problem_change", "changes of problems", "kept under the pseudonym", { notExported: ROLE_RECORD }),
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
  kept(
    "audit",
    "audit log: what the person did with a role, and what was done to the account",
    "never changes; details of old entries contain names. Only administrators can read it",
    { accounts: ["account_id"], rows: "account_id = $1 or subject = 'account ' || $1", omit: ["account_id", "detail"] },
  ),

  redacted(
    "account",
    "the account: name, roles, ban, settings",
    "the name is replaced by a pseudonym; roles and settings are cleared; a ban remains",
    { rows: "id = $1", omit: ["name_skeleton"] },
  ),
];

/** Tables without rows about a person. */
export const OTHER_TABLES: readonly (keyof Tables)[] = [
  ...(["board", "board_revision", "board_reference", "board_change"] as const),
  ...(["competition", "invite_competition", "course", "course_assignment", "submission_limit"] as const),
  ...(["lti_key", "lti_platform", "lti_login", "lti_deep_link", "lti_line_item"] as const),
  ...(["dataset_secret", "dataset_analysis", "dataset_table", "discord_app", "discord_interaction"] as const),
  ...(["discord_guild", "discord_message", "discord_board", "discord_post"] as const),
  ...(["imported_problem", "adopted_leaderboard", "kernelbench_suite", "kernelbench_suite_version"] as const),
  ...(["kernelbench_suite_problem", "kernelbench_pull", "kernelbench_pull_delivery"] as const),
  ...(["kernelbench_pull_entry", "problem", "seed_master", "queue_clock", "signing_key"] as const),
  ...(["machine", "canary", "launch", "code", "fingerprint", "intake_gate", "backup", "webhook_outbox"] as const),
];
