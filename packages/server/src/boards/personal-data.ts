/** What the tables of this folder store about a person. */
import { STAYS_RANKED, kept, type PersonalTable } from "../db/personal-tables.ts";

export const BOARDS_TABLES: readonly PersonalTable[] = [
  kept("ranking", "entries of leaderboards", STAYS_RANKED, {
    notExported: "computed from the runs, which are exported",
  }),
];
