/**
 * Decides for which accounts an organiser may create sign-in links.
 *
 * A sign-in link gives full access to an account: its code, its tokens, its roles and its memberships. An organiser who
 * could create one for every member of a competition would gain what the members have elsewhere. The account must
 * therefore belong to the organiser's own competitions only:
 *
 * - it was created with an invite link of a competition that the organiser organises;
 * - it has no role and organises nothing;
 * - it has no identity at a provider and no e-mail address, by which its owner could sign in without the organiser;
 * - it is not a member, in a team or a submitter of a competition that the organiser does not organise, and has no
 *   KernelBench entry.
 *
 * All of this is checked when the link is created and again when it is used, because both accounts may change in between.
 */
import { sql, type Transaction } from "kysely";
import type { Tables } from "../db/tables.ts";

/** Returns whether the organiser may sign in to the account to help its owner. */
export async function mayOpenAccount(
  transaction: Transaction<Tables>,
  organiserId: string,
  accountId: string,
): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    with own as (select competition from competition_organiser where account_id = ${organiserId}),
    joined as (
      select competition from competition_member where account_id = ${accountId}
      union select competition from team_member where account_id = ${accountId}
      union select p.competition from submission s join problem p on p.name = s.problem
        where s.account_id = ${accountId} and p.competition is not null
    )
    select
      exists (select from account where id = ${organiserId} and banned_at is null and 'organiser' = any(roles))
      and exists (select from account where id = ${accountId} and roles = '{}')
      and exists (select from invite_link_use u join invite_link l on l.id = u.link_id join own using (competition)
        where u.account_id = ${accountId} and u.registered)
      and not exists (select from competition_organiser where account_id = ${accountId})
      and not exists (select from linked_identity where account_id = ${accountId})
      and not exists (select from kernelbench_entry where account_id = ${accountId})
      and not exists (select from joined where competition not in (select competition from own))
      as may`.execute(transaction);
  return rows[0]?.may === true;
}
