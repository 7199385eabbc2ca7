/** Teams: accounts that enter a competition together. */
import { z } from "zod";
import { AccountName, TeamName } from "../vocabulary/entrant.ts";
import { InviteCode } from "./invite.ts";

export const Team = TeamName.extend({
  /** Members, in the order in which they joined. */
  members: z.array(AccountName),
  /** Code with which others join; null if the caller is not a member. */
  code: InviteCode.nullable(),
});
export type Team = z.infer<typeof Team>;

export const TeamList = z.object({ teams: z.array(Team) });

/** Request to create or rename a team. */
export const TeamNameRequest = z.strictObject({ name: z.string().max(200, "use at most 200 characters") });

export const JoinTeamRequest = z.strictObject({ code: InviteCode });

/** Request to remove a member, by account name. */
export const RemoveMemberRequest = z.strictObject({ account: z.string().min(1).max(200) });
