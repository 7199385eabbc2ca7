/** Entrants of boards: accounts and teams. */
import { z } from "zod";

/** Public id and name of an account. */
export const AccountName = z.object({ id: z.string(), name: z.string() });
export type AccountName = z.infer<typeof AccountName>;

/** Id and name of a team. */
export const TeamName = z.object({ id: z.int(), name: z.string() });
export type TeamName = z.infer<typeof TeamName>;

/** Returns the name under which an entry is listed: its team, or its account if it has no team. */
export function entrantName({ team, account }: { team: TeamName | null; account: AccountName }): string {
  return team?.name ?? account.name;
}

/**
 * Returns the owner of an entry: its team, or its account if it has no team. Account ids never have the form `team:7`.
 */
export function entrantOf({ team, account }: { team: TeamName | null; account: AccountName }): AccountName {
  return team === null ? account : { id: teamEntrant(team.id), name: team.name };
}

/** Returns the id of a team as the owner of an entry: `team:7`. */
export function teamEntrant(team: number): string {
  return `team:${team}`;
}
