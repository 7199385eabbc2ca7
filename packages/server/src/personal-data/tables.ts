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
  /** SQL statement of the erasure for the account `$1`; undefined where a background job or nothing changes the rows. */
  erase?: string;
}

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
  {
    table: "email_link",
    content: "links sent to an e-mail address",
    accounts: ["account_id"],
    rows: "account_id = $1 or address in (select subject from linked_identity where provider = 'email' and account_id = $1)",
    notExported: SHORT,
    erasure: "deleted",
    how: "deleted",
    erase: `delete from email_link where account_id = $1
      or address in (select subject from linked_identity where provider = 'email' and account_id = $1)`,
  },
  {
    table: "lti_launch",
    content: "launches from a learning platform within ten minutes",
    accounts: [],
    rows: OWN_LAUNCHES,
    notExported: SHORT,
    erasure: "deleted",
    how: "deleted",
    erase: `delete from lti_launch where ${OWN_LAUNCHES}`,
  },
  {
    table: "linked_identity",
    content: "e-mail addresses, and accounts at identity providers with their groups",
    accounts: ["account_id"],
    rows: "account_id = $1",
    erasure: "deleted",
    how: "deleted",
    erase: "delete from linked_identity where account_id = $1",
  },
  {
    table: "session",
    content: "signed-in browsers, with their addresses",
    accounts: ["account_id"],
    rows: "account_id = $1",
    omit: ["hash"],
    erasure: "deleted",
    how: "deleted",
    erase: "delete from session where account_id = $1",
  },
  {
    table: "oauth_state",
    content: "sign-ins in progress",
    accounts: ["account_id"],
    rows: "account_id = $1",
    notExported: SHORT,
    erasure: "deleted",
    how: "deleted",
    erase: "delete from oauth_state where account_id = $1",
  },
  {
    table: "sign_in_link",
    content: "sign-in links",
    accounts: ["account_id", "organiser_id"],
    rows: "account_id = $1 or organiser_id = $1",
    notExported: "expires within a week",
    erasure: "deleted",
    how: "deleted",
    erase: "delete from sign_in_link where account_id = $1 or organiser_id = $1",
  },
  {
    table: "device_code",
    content: "programs that ask to be signed in",
    accounts: ["account_id"],
    rows: "account_id = $1",
    notExported: SHORT,
    erasure: "deleted",
    how: "deleted",
    erase: "delete from device_code where account_id = $1",
  },
  {
    table: "throttle",
    content: "counts of attempts within an hour",
    accounts: [],
    rows: "who = $1",
    notExported: SHORT,
    erasure: "deleted",
    how: "deleted",
    erase: "delete from throttle where who = $1",
  },
  {
    table: "token",
    content: "tokens of programs",
    accounts: ["account_id"],
    rows: "account_id = $1",
    omit: ["hash"],
    erasure: "redacted",
    how: "revoked; hash, label and last use are overwritten. The rows remain, because runs refer to them",
    erase: `update token set revoked_at = coalesce(revoked_at, now()), label = 'deleted', last_used_at = null,
      hash = sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
      where account_id = $1`,
  },
  {
    table: "imported_account",
    content: "identifiers at a system from which submissions were imported",
    accounts: ["account_id"],
    rows: "account_id = $1",
    erasure: "deleted",
    how: "deleted; another import from the same source creates an account for that user again",
    erase: "delete from imported_account where account_id = $1",
  },

  // Competitions, courses and teams.
  {
    table: "competition_organiser",
    content: "competitions that the person organises",
    accounts: ["account_id"],
    rows: "account_id = $1",
    erasure: "deleted",
    how: "deleted",
    erase: "delete from competition_organiser where account_id = $1",
  },
  {
    table: "invite",
    content: "invite codes that the person used or created",
    accounts: ["created_by", "claimed_by"],
    rows: "claimed_by = $1 or created_by = $1",
    omit: ["code", "created_by", "claimed_by"],
    erasure: "kept",
    how: "kept, so that the code cannot be used again",
  },
  {
    table: "invite_link",
    content: "invite links that the person created",
    accounts: ["created_by"],
    rows: "created_by = $1",
    omit: ["hash"],
    erasure: "kept",
    how: "kept; others joined by them",
  },
  {
    table: "invite_link_use",
    content: "invite links by which the person joined",
    accounts: ["account_id"],
    rows: "account_id = $1",
    erasure: "kept",
    how: "kept, as part of the count of the link",
  },
  {
    table: "wrong_code",
    content: "invalid codes entered within an hour",
    accounts: ["account_id"],
    rows: "account_id = $1",
    notExported: SHORT,
    erasure: "deleted",
    how: "deleted",
    erase: "delete from wrong_code where account_id = $1",
  },
  {
    table: "course_extension",
    content: "deadlines of the person in courses",
    accounts: [],
    rows: "(competition, email) in (select competition, email from course_student where account_id = $1)",
    erasure: "kept",
    how: "kept with the roster",
  },
  {
    table: "course_student",
    content: "row of the person on the roster of a course",
    accounts: ["account_id"],
    rows: "account_id = $1",
    erasure: "redacted",
    how: "the account is taken off the row. Name and e-mail address remain on the roster, which the organiser of the course keeps and can delete",
    erase: "update course_student set account_id = null, enrolled_by = null, enrolled_at = null where account_id = $1",
  },
  {
    table: "lti_link",
    content: "links to learning platforms that the person created",
    accounts: ["created_by"],
    rows: "created_by = $1",
    omit: ["hash"],
    erasure: "kept",
    how: "kept; courses are opened by them",
  },
  {
    table: "lti_member",
    content: "user id of the person at the learning platform of a course",
    accounts: ["account_id"],
    rows: "account_id = $1",
    erasure: "deleted",
    how: "deleted",
    erase: "delete from lti_member where account_id = $1",
  },
  {
    table: "lti_score",
    content: "grades that a learning platform receives",
    accounts: ["account_id"],
    rows: "account_id = $1",
    erasure: "deleted",
    how: "deleted; the platform keeps what it has received",
    erase: "delete from lti_score where account_id = $1",
  },
  {
    table: "team",
    content: "teams of the person",
    accounts: [],
    rows: "id in (select team_id from team_member where account_id = $1)",
    omit: ["code", "name_skeleton"],
    erasure: "kept",
    how: "kept; a team has other members",
  },
  {
    table: "team_member",
    content: "memberships in teams",
    accounts: ["account_id"],
    rows: "account_id = $1",
    erasure: "kept",
    how: "the pseudonym stays a member, so that the rows of leaderboards do not change",
  },
  {
    table: "account_limit",
    content: "limits raised for the person",
    accounts: ["account_id"],
    rows: "account_id = $1",
    erasure: "deleted",
    how: "deleted",
    erase: "delete from account_limit where account_id = $1",
  },

  // Submissions. The background job deletes their sources and outputs.
  {
    table: "discord_submission",
    content: "submissions made at Discord, with the Discord user",
    accounts: ["account_id"],
    rows: "account_id = $1",
    omit: ["token", "interaction_id"],
    erasure: "deleted",
    how: "deleted; messages at Discord remain there",
    erase: "delete from discord_submission where account_id = $1",
  },
  {
    table: "submission",
    content: "submissions; the export has their sources as files",
    accounts: ["account_id", "removed_by", "entered_by"],
    rows: "account_id = $1",
    omit: ["removed_by", "entered_by"],
    erasure: "redacted",
    how: `source and file name are deleted; ${BOARDS}`,
  },
  {
    table: "run",
    content: "runs with their results",
    accounts: ["account_id"],
    rows: "account_id = $1",
    omit: ["token_id", "review"],
    erasure: "redacted",
    how: `messages are deleted; ${BOARDS}`,
  },
  {
    table: "stage_result",
    content: "stages of runs, with their outputs",
    accounts: [],
    rows: `run_id in ${OWN_RUNS}`,
    erasure: "redacted",
    how: "deleted; those of ranked runs remain without outputs",
  },
  {
    table: "case_result",
    content: "cases of runs, with their samples",
    accounts: [],
    rows: `run_id in ${OWN_RUNS}`,
    erasure: "redacted",
    how: "deleted; the samples of ranked runs remain, because their receipts state them",
  },
  {
    table: "artifact",
    content: "files of runs; the export has them as files",
    accounts: [],
    rows: `run_id in ${OWN_RUNS}`,
    erasure: "redacted",
    how: "the files are deleted by the background job; their names remain",
  },
  {
    table: "event",
    content: "event logs of submissions",
    accounts: [],
    rows: `submission_id in ${OWN_SUBMISSIONS}`,
    erasure: "redacted",
    how: "outputs, messages and findings are deleted",
  },
  {
    table: "transcript",
    content: "transcripts attached to submissions",
    accounts: [],
    rows: `submission_id in ${OWN_SUBMISSIONS}`,
    erasure: "deleted",
    how: AGED,
  },
  {
    table: "submission_trace",
    content: "trace identifiers of submissions",
    accounts: [],
    rows: `submission_id in ${OWN_SUBMISSIONS}`,
    notExported: "random numbers for operators",
    erasure: "deleted",
    how: "deleted",
    erase: `delete from submission_trace where submission_id in ${OWN_SUBMISSIONS}`,
  },
  {
    table: "receipt",
    content: "signatures of ranked results, with the name of the person",
    accounts: [],
    rows: `run_id in ${OWN_RUNS}`,
    erasure: "redacted",
    how: "signed again with the pseudonym; a copy that someone downloaded earlier remains valid",
  },
  {
    table: "ranking",
    content: "entries of leaderboards",
    accounts: ["account_id"],
    rows: "account_id = $1",
    notExported: "computed from the runs, which are exported",
    erasure: "kept",
    how: BOARDS,
  },
  {
    table: "application_result",
    content: "whether a source works in an application",
    accounts: [],
    rows: "code_hash in (select code_hash from submission where account_id = $1)",
    erasure: "kept",
    how: "kept without the source, because leaderboards depend on it",
  },
  {
    table: "imported_run",
    content: "numbers of imported runs at their source",
    accounts: [],
    rows: `run_id in ${OWN_RUNS}`,
    erasure: "kept",
    how: "kept, so that another import does not create the runs again",
  },
  {
    table: "fair_share",
    content: "position of the account in the queues",
    accounts: ["account_id"],
    rows: "account_id = $1",
    notExported: "state of the queue",
    erasure: "kept",
    how: "kept; has numbers only",
  },

  // Moderation.
  {
    table: "decision",
    content: "decisions of moderators about the person, with appeals",
    accounts: ["account_id", "decided_by"],
    rows: "account_id = $1",
    omit: ["decided_by"],
    erasure: "redacted",
    how: "texts of appeals are deleted; decisions and their reasons remain, as a record of how entries were judged",
    erase: "update decision set appeal = 'deleted with the account' where account_id = $1 and appeal is not null",
  },
  {
    table: "flag",
    content: "reports that the person made; not what others or checks reported about the person's runs",
    accounts: ["account_id"],
    rows: "account_id = $1",
    omit: ["account_id", "evidence_run"],
    erasure: "kept",
    how: "kept, as a record of how entries were judged",
  },

  // Evaluations and KernelBench.
  {
    table: "evaluation",
    content: "evaluations, with their tags",
    accounts: ["account_id"],
    rows: "account_id = $1",
    omit: ["request_hash"],
    erasure: "deleted",
    how: AGED,
    erase: "update evaluation set ended_at = 'epoch' where account_id = $1 and ended_at is not null",
  },
  {
    table: "evaluation_batch",
    content: "batches of evaluations",
    accounts: ["account_id"],
    rows: "account_id = $1",
    omit: ["request_hash"],
    erasure: "deleted",
    how: AGED,
    erase: "update evaluation_batch set created_at = 'epoch' where account_id = $1",
  },
  {
    table: "evaluation_session_note",
    content: "notes of agents",
    accounts: [],
    rows: `session_id in ${OWN_SESSIONS}`,
    erasure: "deleted",
    how: "deleted",
    erase: `delete from evaluation_session_note where session_id in ${OWN_SESSIONS}`,
  },
  {
    table: "evaluation_session",
    content: "sessions of evaluations",
    accounts: ["account_id"],
    rows: "account_id = $1",
    omit: ["request_hash"],
    erasure: "deleted",
    how: AGED,
    erase: "update evaluation_session set ends_at = 'epoch' where account_id = $1",
  },
  {
    table: "problem_version",
    content: "files of problems that the person uploaded for evaluations",
    accounts: [],
    rows: "hash in (select version from uploaded_problem where account_id = $1)",
    erasure: "deleted",
    how: `${AGED}, unless someone else uploaded the same files`,
  },
  {
    table: "uploaded_problem",
    content: "problems that the person uploaded for evaluations",
    accounts: ["account_id"],
    rows: "account_id = $1",
    erasure: "deleted",
    how: AGED,
    erase: "update uploaded_problem set used_at = 'epoch' where account_id = $1",
  },
  {
    table: "kernelbench_entry",
    content: "KernelBench entries",
    accounts: ["account_id"],
    rows: "account_id = $1",
    erasure: "redacted",
    how: "organisation and notes are deleted, and no more kernels are submitted; scores and the model's name stay under the pseudonym",
    erase: `update kernelbench_entry set stopped_at = coalesce(stopped_at, now()), idempotency_key = null,
      metadata = (metadata::jsonb - 'run_name' || '{"organization": "", "notes": ""}')::json where account_id = $1`,
  },
  {
    table: "kernelbench_kernel",
    content: "kernels of entries",
    accounts: [],
    rows: "entry_id in (select id from kernelbench_entry where account_id = $1)",
    erasure: "kept",
    how: "kept without sources, because scores are computed from their runs",
  },
  {
    table: "kernelbench_result",
    content: "times of kernels of entries",
    accounts: [],
    rows: `run_id in ${OWN_RUNS}`,
    erasure: "kept",
    how: "kept; has numbers only",
  },
  {
    table: "kernelbench_baseline",
    content: "baselines that the person stored",
    accounts: ["account_id"],
    rows: "account_id = $1",
    erasure: "kept",
    how: "kept; scores refer to them",
  },

  // Webhooks.
  {
    table: "webhook_delivery",
    content: "deliveries to the person's webhooks",
    accounts: [],
    rows: `webhook_id in ${OWN_WEBHOOKS}`,
    erasure: "deleted",
    how: "deleted with the webhook",
  },
  {
    table: "webhook_board",
    content: "ranks last sent to the person's webhooks",
    accounts: [],
    rows: `webhook_id in ${OWN_WEBHOOKS}`,
    notExported: "state of the deliveries, which are exported",
    erasure: "deleted",
    how: "deleted with the webhook; the name is replaced in ranks that were sent to webhooks of others",
    erase: `update webhook_board set sent_ranks = (
        select json_agg(case when r ->> 'id' = $1 then (r::jsonb || '{"name": "deleted"}')::json else r end)
        from json_array_elements(sent_ranks) as r)
      where sent_ranks::jsonb @> jsonb_build_array(jsonb_build_object('id', $1::text))`,
  },
  {
    table: "webhook",
    content: "webhooks",
    accounts: ["account_id"],
    rows: "account_id = $1",
    omit: ["secret"],
    erasure: "deleted",
    how: "deleted",
    erase: "delete from webhook where account_id = $1",
  },

  // What the person did with a role.
  {
    table: "runner",
    content: "runners with a token of the person, or whose state the person set",
    accounts: ["admin_state_by"],
    rows: "token_id in (select id from token where account_id = $1) or admin_state_by = $1",
    omit: ["token_id", "admin_state_by", "errors_of"],
    erasure: "kept",
    how: "kept while the runner is listed",
  },
  {
    table: "problem_change",
    content: "changes of problems",
    accounts: ["account_id"],
    rows: "account_id = $1",
    notExported: ROLE_RECORD,
    erasure: "kept",
    how: "kept under the pseudonym",
  },
  {
    table: "import",
    content: "imports of competitions",
    accounts: ["account_id"],
    rows: "account_id = $1",
    notExported: ROLE_RECORD,
    erasure: "kept",
    how: "kept under the pseudonym",
  },
  {
    table: "dataset_snapshot",
    content: "snapshots that the person requested",
    accounts: ["requested_by"],
    rows: "requested_by = $1",
    notExported: ROLE_RECORD,
    erasure: "kept",
    how: "kept under the pseudonym",
  },
  {
    table: "dataset_publication",
    content: "publications that the person requested",
    accounts: ["requested_by"],
    rows: "requested_by = $1",
    notExported: ROLE_RECORD,
    erasure: "kept",
    how: "kept under the pseudonym",
  },
  {
    table: "dataset_number",
    content: "which submissions are published, and when",
    accounts: [],
    rows: `submission_id in ${OWN_SUBMISSIONS}`,
    erasure: "kept",
    how: "kept, so that the next snapshot lists the submissions as withdrawn",
  },
  {
    table: "audit",
    content: "audit log: what the person did with a role, and what was done to the account",
    accounts: ["account_id"],
    rows: "account_id = $1 or subject = 'account ' || $1",
    omit: ["account_id", "detail"],
    erasure: "kept",
    how: "never changes; details of old entries contain names. Only administrators can read it",
  },

  {
    table: "account",
    content: "the account: name, roles, ban, settings",
    accounts: [],
    rows: "id = $1",
    omit: ["name_skeleton"],
    erasure: "redacted",
    how: "the name is replaced by a pseudonym; roles and settings are cleared; a ban remains",
  },
];

/** Tables without rows about a person. */
export const OTHER_TABLES: readonly (keyof Tables)[] = [
  ...(["board", "board_revision", "board_reference", "board_change"] as const),
  ...(["competition", "invite_competition", "course", "course_assignment", "submission_limit"] as const),
  ...(["lti_key", "lti_platform", "lti_login", "lti_line_item"] as const),
  ...(["dataset_secret", "dataset_analysis", "dataset_table", "discord_app", "discord_interaction"] as const),
  ...(["discord_guild", "discord_message", "discord_board", "discord_post"] as const),
  ...(["imported_problem", "adopted_leaderboard", "kernelbench_suite", "kernelbench_suite_version"] as const),
  ...(["kernelbench_suite_problem", "kernelbench_pull", "kernelbench_pull_delivery"] as const),
  ...(["kernelbench_pull_entry", "problem", "seed_master", "queue_clock", "signing_key"] as const),
  ...(["machine", "canary", "launch", "code", "fingerprint", "intake_gate", "backup", "webhook_outbox"] as const),
];
