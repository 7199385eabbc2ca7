/** What must be done before the data of a person can be erased. */
import { CompiledQuery, sql, type Kysely } from "kysely";
import type { PersonalTable } from "../db/personal-tables.ts";
import type { Tables } from "../db/tables.ts";

/** Returns why an account cannot be erased, as sentences that say what to do; empty if it can. */
export async function erasureObstacles(
  db: Kysely<Tables>,
  personalTables: readonly PersonalTable[],
  accountId: string,
): Promise<string[]> {
  const { rows } = await sql<{ obstacle: string }>`
    select 'this is the last administrator; assign the role to another account first' as obstacle
    from account where id = ${accountId} and 'administrator' = any(assigned_roles) and not exists (
      select from account other where other.id <> account.id and 'administrator' = any(other.assigned_roles) and other.banned_at is null)
    union all
    select format('this is the only organiser of the competition %s, which has not ended; add another organiser first', c.name)
    from competition_organiser o join competition c on c.name = o.competition
    where o.account_id = ${accountId} and c.ends_at > now() and not exists (
      select from competition_organiser other where other.competition = c.name and other.account_id <> ${accountId})
    union all
    select 'runners that the server starts use this account; stop them first'
    where exists (select from token t where t.account_id = ${accountId} and t.revoked_at is null and (t.local_runner is not null
      or exists (select from launch l where l.token_id = t.id and l.ended_at is null)))`.execute(db);
  for (const { obstacle } of personalTables) {
    if (obstacle === undefined) continue;
    const found = await db.executeQuery<{ obstacle: string }>(CompiledQuery.raw(obstacle, [accountId]));
    rows.push(...found.rows);
  }
  return rows.map(({ obstacle }) => obstacle);
}
