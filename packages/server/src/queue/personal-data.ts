/** What the tables of this folder store about a person. */
import { kept, type PersonalTable } from "../db/personal-tables.ts";

export const QUEUE_TABLES: readonly PersonalTable[] = [
  kept("fair_share", "position of the account in the queues", "kept; has numbers only", {
    notExported: "state of the queue",
  }),
];
