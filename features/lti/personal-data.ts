/** What the tables of this folder store about a person. */
import { EXPIRES_WITHIN_A_DAY, deleted, kept, type PersonalTable } from "@kernelbot/server/src/db/personal-tables.ts";

const OWN_LAUNCHES = `(select p.issuer from lti_platform p where p.id = platform_id) || ' ' || subject
  in (select i.subject from linked_identity i where i.provider = 'lti' and i.account_id = $1)`;

/** In the order in which an erasure executes their statements. */
export const LTI_TABLES: readonly PersonalTable[] = [
  deleted("lti_launch", "launches from a learning platform within ten minutes", {
    rows: OWN_LAUNCHES,
    notExported: EXPIRES_WITHIN_A_DAY,
  }),
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
];
