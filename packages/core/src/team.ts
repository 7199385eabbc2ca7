/** Teams: those who take part in a competition together. */
import { z } from "zod";
import { AccountName, TeamName } from "./board.ts";
import { InviteCode } from "./invite.ts";

export const Team = TeamName.extend({
  /** Those who are in it, the first who joined first. */
  members: z.array(AccountName),
  /** By which others join it: its members alone are told. */
  code: InviteCode.nullable(),
});
export type Team = z.infer<typeof Team>;

export const TeamList = z.object({ teams: z.array(Team) });

/** A team to be made, or the new name of one. */
export const TeamNaming = z.strictObject({ name: z.string().max(200, "use at most 200 characters") });

export const TeamJoining = z.strictObject({ code: InviteCode });

/** Who is taken out of a team, by the name of the account. */
export const TeamRemoval = z.strictObject({ account: z.string().min(1).max(200) });
