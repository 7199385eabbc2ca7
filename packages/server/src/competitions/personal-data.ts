/** What the tables of this folder store about a person. */
import { EXPIRES_WITHIN_A_DAY, deleted, kept, type PersonalTable } from "../db/personal-tables.ts";

/** In the order in which an erasure executes their statements. */
export const COMPETITIONS_TABLES: readonly PersonalTable[] = [
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
  deleted("wrong_code", "invalid codes entered within an hour", { notExported: EXPIRES_WITHIN_A_DAY }),
  kept("team", "teams of the person", "kept; a team has other members", {
    rows: "id in (select team_id from team_member where account_id = $1)",
    omit: ["code", "name_skeleton"],
  }),
  kept(
    "team_member",
    "memberships in teams",
    "the pseudonym stays a member, so that the rows of leaderboards do not change",
  ),
];
