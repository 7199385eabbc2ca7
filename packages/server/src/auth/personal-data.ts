/** What the tables of this folder store about a person. */
import { EXPIRES_WITHIN_A_DAY, deleted, kept, redacted, type PersonalTable } from "../db/personal-tables.ts";

/** In the order in which an erasure executes their statements. */
export const AUTH_TABLES: readonly PersonalTable[] = [
  deleted("email_link", "links sent to an e-mail address", {
    accounts: ["account_id"],
    rows: "account_id = $1 or address in (select subject from linked_identity where provider = 'email' and account_id = $1)",
    notExported: EXPIRES_WITHIN_A_DAY,
  }),
  deleted("linked_identity", "e-mail addresses, and accounts at identity providers with their groups"),
  deleted("session", "signed-in browsers, with their addresses", { omit: ["hash"] }),
  deleted("oauth_state", "sign-ins in progress", { notExported: EXPIRES_WITHIN_A_DAY }),
  deleted("sign_in_link", "sign-in links", {
    accounts: ["account_id", "organiser_id"],
    rows: "account_id = $1 or organiser_id = $1",
    notExported: "expires within a week",
  }),
  deleted("device_code", "programs that ask to be signed in", { notExported: EXPIRES_WITHIN_A_DAY }),
  deleted("throttle", "counts of attempts within an hour", { rows: "who = $1", notExported: EXPIRES_WITHIN_A_DAY }),
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
