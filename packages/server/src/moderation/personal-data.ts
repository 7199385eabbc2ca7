/** What the tables of this folder store about a person. */
import { kept, redacted, type PersonalTable } from "../db/personal-tables.ts";

/** In the order in which an erasure executes their statements. */
export const MODERATION_TABLES: readonly PersonalTable[] = [
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
];
