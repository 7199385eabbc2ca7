/** What the tables of this folder store about a person. */
import { kept, type PersonalTable } from "../db/personal-tables.ts";

export const RUNNERS_TABLES: readonly PersonalTable[] = [
  kept(
    "runner",
    "runners with a token of the person, or whose state the person set",
    "kept while the runner is listed",
    {
      accounts: ["admin_state_by"],
      rows: "token_id in (select id from token where account_id = $1) or admin_state_by = $1",
      omit: ["token_id", "admin_state_by", "errors_of", "error_sources"],
    },
  ),
];
