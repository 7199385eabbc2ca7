/** What the tables of this folder store about a person. */
import { deleted, type PersonalTable } from "../../db/personal-tables.ts";

export const DISCORD_TABLES: readonly PersonalTable[] = [
  deleted("discord_submission", "submissions made at Discord, with the Discord user", {
    omit: ["token", "interaction_id"],
    how: "deleted; messages at Discord remain there",
  }),
];
