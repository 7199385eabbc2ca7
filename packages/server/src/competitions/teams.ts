/**
 * Teams of a competition. A submission counts only for the team of its author at the time of acceptance; an account in
 * a team has no row of its own (`board_entry`). An account that has made a ranked submission in a team can only be
 * removed by an organiser or a moderator, and its submissions stay with the team.
 */
import { sql, type RawBuilder, type Transaction } from "kysely";
import { KernelBotError, quote, type AccountName, type Team } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { hasRole, requireScope, type Identity } from "../auth/identity.ts";
import type { Tables } from "../db/tables.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { getAccountByName } from "../auth/accounts.ts";
import { audit } from "../auth/audit.ts";
import { lockAccount } from "../auth/lock-account.ts";
import { nameColumns, requireDistinct, requireDistinctTeam } from "../auth/lookalikes.ts";
import { checkedName } from "../auth/names.ts";
import { noCompetition, reachable, type Viewer } from "../auth/visibility.ts";
import { newCode, recordIncorrectCode, findGuessLimit } from "./codes.ts";
import { requireOrganiser } from "./organisers.ts";
import { requireParticipant } from "./participants.ts";

/** SQL: members of the team of the row, in the order in which they joined. */
export const TEAM_MEMBERS: RawBuilder<AccountName[]> = sql`coalesce((
  select json_agg(json_build_object('id', a.id, 'name', a.name) order by m.joined_at)
  from team_member m join account a on a.id = m.account_id where m.team_id = team.id and m.left_at is null
), '[]')`;

/** Lists the teams of a competition by name. Only the viewer's own team has its code. */
export async function listTeams({ db }: Database, viewer: Viewer, competition: string): Promise<Team[]> {
  return runTransaction(idempotent(db), async (transaction) => {
    await getCompetition(transaction, viewer, competition);
    return readTeams(transaction, viewer, competition);
  });
}

/** Creates a team with the caller as its first member. @throws KernelBotError `conflict` if the name is taken. */
export async function createTeam(
  database: Database,
  identity: Identity,
  competition: string,
  requestedName: string,
): Promise<Team> {
  const name = checkedName(requestedName);
  return rejectDuplicateName(name, () =>
    changeTeam(database, identity, competition, async (transaction) => {
      if ((await membership(transaction, competition, identity.account.id)) !== undefined)
        throw alreadyInTeam(competition);
      await requireUnusedName(transaction, identity, name);
      await requireDistinctTeam(transaction, competition, name, null);
      const { id } = await transaction
        .insertInto("team")
        .values({ competition, ...nameColumns(name), code: newCode() })
        .returning("id")
        .executeTakeFirstOrThrow();
      await addMember(transaction, identity, competition, id);
      return ownTeam(transaction, identity, competition);
    }),
  );
}

/**
 * Joins the team of a code. Idempotent.
 * @throws KernelBotError `not_found` if there is no such code in the competition; `conflict` if the team is full or the
 * caller is in another team; `too_many_requests` after too many incorrect codes.
 */
export async function joinTeam(
  database: Database,
  identity: Identity,
  competition: string,
  code: string,
): Promise<Team> {
  // Errors are thrown after the commit, because an incorrect code must be recorded.
  const outcome = await changeTeam(database, identity, competition, async (transaction, size) => {
    const refused = await findGuessLimit(transaction, identity.account.id);
    if (refused !== null) return refused;
    const team = await transaction
      .selectFrom("team")
      .select("id")
      .where("code", "=", code)
      .where("competition", "=", competition)
      .forUpdate()
      .executeTakeFirst();
    if (team === undefined) {
      await recordIncorrectCode(transaction, identity.account.id);
      return new KernelBotError(
        "not_found",
        `this team code does not exist in ${competition}; ask a team member for the code`,
      );
    }
    const current = await membership(transaction, competition, identity.account.id);
    if (current !== undefined && current.team_id !== team.id) throw alreadyInTeam(competition);
    if (current === undefined) {
      const members = await transaction
        .selectFrom("team_member")
        .select("account_id")
        .where("team_id", "=", team.id)
        .where("left_at", "is", null)
        .execute();
      if (members.length >= size) {
        throw new KernelBotError("conflict", `the team is full: teams of ${competition} have at most ${size} members`);
      }
      await addMember(transaction, identity, competition, team.id);
    }
    return ownTeam(transaction, identity, competition);
  });
  if (outcome instanceof KernelBotError) throw outcome;
  return outcome;
}

/**
 * Leaves the caller's team. @throws KernelBotError `conflict` if they are in no team or have made a ranked submission
 * in it.
 */
export async function leaveTeam(database: Database, identity: Identity, competition: string): Promise<void> {
  await changeTeam(database, identity, competition, async (transaction) => {
    const current = await requireMembership(transaction, identity, competition);
    if (current.ranked) {
      throw new KernelBotError(
        "conflict",
        "you have made a ranked submission in this team; only an organiser or a moderator can remove you",
      );
    }
    await endMembership(transaction, current);
  });
}

/** Renames the caller's team. @throws KernelBotError `conflict` if the name is taken or the caller is in no team. */
export async function renameTeam(
  database: Database,
  identity: Identity,
  competition: string,
  requestedName: string,
): Promise<Team> {
  const name = checkedName(requestedName);
  return rejectDuplicateName(name, () =>
    changeTeam(database, identity, competition, async (transaction) => {
      const { team_id } = await requireMembership(transaction, identity, competition);
      await requireUnusedName(transaction, identity, name);
      await requireDistinctTeam(transaction, competition, name, team_id);
      await transaction.updateTable("team").set(nameColumns(name)).where("id", "=", team_id).execute();
      return ownTeam(transaction, identity, competition);
    }),
  );
}

/**
 * Removes an account from its team, which gets a new code. Its ranked submissions stay with the team.
 * @throws KernelBotError `forbidden` unless the caller organises the competition or is a moderator; `not_found`.
 */
export async function removeFromTeam(
  { db }: Database,
  identity: Identity,
  competition: string,
  name: string,
): Promise<void> {
  await runTransaction(idempotent(db), async (transaction) => {
    if (!hasRole(identity, "moderator")) await requireOrganiser(transaction, identity, [competition]);
    const account = await getAccountByName(transaction, name);
    await lockAccount(transaction, account.id);
    const current = await membership(transaction, competition, account.id);
    if (current === undefined) {
      throw new KernelBotError("not_found", `${quote(account.name)} is not in a team of ${quote(competition)}`);
    }
    await transaction.updateTable("team").set({ code: newCode() }).where("id", "=", current.team_id).execute();
    await endMembership(transaction, current);
    const detail = { competition, account: account.id };
    await audit(transaction, identity, "remove", `member of team ${current.team_id}`, detail);
  });
}

type Membership = NonNullable<Awaited<ReturnType<typeof membership>>>;

/** Returns the team of an account, and whether the account has made a ranked submission in it. */
function membership(transaction: Transaction<Tables>, competition: string, accountId: string) {
  return transaction
    .selectFrom("team_member as m")
    .select(["m.team_id", "m.competition", "m.account_id"])
    .select(
      sql<boolean>`exists (select from submission s join problem p on p.name = s.problem
        where p.competition = m.competition and s.account_id = m.account_id and s.mode = 'ranked'
          and s.created_at >= m.joined_at)`.as("ranked"),
    )
    .where("m.competition", "=", competition)
    .where("m.account_id", "=", accountId)
    .where("m.left_at", "is", null)
    .executeTakeFirst();
}

async function requireMembership(
  transaction: Transaction<Tables>,
  { account }: Identity,
  competition: string,
): Promise<Membership> {
  const current = await membership(transaction, competition, account.id);
  if (current !== undefined) return current;
  throw new KernelBotError("conflict", `you are not in a team of ${competition}`);
}

async function addMember(
  transaction: Transaction<Tables>,
  { account }: Identity,
  competition: string,
  team: number,
): Promise<void> {
  await requireParticipant(transaction, account.id, competition);
  await transaction
    .insertInto("team_member")
    .values({ team_id: team, competition, account_id: account.id, left_at: null })
    .execute();
}

/** Ends a membership. A membership without ranked submissions is deleted, and the team with its last membership. */
async function endMembership(
  transaction: Transaction<Tables>,
  { team_id, competition, account_id, ranked }: Membership,
): Promise<void> {
  await sql`select from team where id = ${team_id} for update`.execute(transaction);
  const current = sql`competition = ${competition} and account_id = ${account_id} and left_at is null`;
  if (ranked) {
    await sql`update team_member set left_at = clock_timestamp() where ${current}`.execute(transaction);
  } else {
    await sql`delete from team_member where ${current}`.execute(transaction);
    await sql`delete from team where id = ${team_id}
      and not exists (select from team_member m where m.team_id = team.id)`.execute(transaction);
  }
}

/**
 * Executes a change to teams by a participant, which is possible until the competition ends. `work` receives the
 * maximum team size.
 */
async function changeTeam<T>(
  { db }: Database,
  identity: Identity,
  competition: string,
  work: (transaction: Transaction<Tables>, size: number) => Promise<T>,
): Promise<T> {
  requireScope(identity, "submit");
  return runTransaction(idempotent(db), async (transaction) => {
    const { team_size: size, ended } = await getCompetition(transaction, identity, competition);
    if (size === 1)
      throw new KernelBotError("conflict", `${competition} does not have teams; participants compete individually`);
    if (ended) throw new KernelBotError("conflict", `${competition} has ended; its teams can no longer be changed`);
    await lockAccount(transaction, identity.account.id);
    return work(transaction, size);
  });
}

async function getCompetition(transaction: Transaction<Tables>, viewer: Viewer, name: string) {
  const row = await transaction
    .selectFrom("competition")
    .select("team_size")
    .select(sql<boolean>`ends_at <= now()`.as("ended"))
    .where("name", "=", name)
    .where(reachable(viewer, "competition.name"))
    .executeTakeFirst();
  if (row === undefined) throw noCompetition(name);
  return row;
}

async function readTeams(transaction: Transaction<Tables>, viewer: Viewer, competition: string): Promise<Team[]> {
  const me = viewer?.account.id;
  const rows = await transaction
    .selectFrom("team")
    .select(["team.id", "team.name", "team.code", TEAM_MEMBERS.as("members")])
    .where("competition", "=", competition)
    .orderBy(sql`name_key(team.name)`)
    .execute();
  return rows.map((row) => ({ ...row, code: row.members.some(({ id }) => id === me) ? row.code : null }));
}

async function ownTeam(transaction: Transaction<Tables>, identity: Identity, competition: string): Promise<Team> {
  const all = await readTeams(transaction, identity, competition);
  return all.find(({ code }) => code !== null) as Team;
}

/**
 * Checks that no other account has the name, so that a team cannot impersonate an account.
 * @throws KernelBotError `conflict`.
 */
async function requireUnusedName(transaction: Transaction<Tables>, identity: Identity, name: string): Promise<void> {
  const other = await transaction
    .selectFrom("account")
    .select("id")
    .where(sql`name_key(name)`, "=", sql`name_key(${name})`)
    .where("id", "<>", identity.account.id)
    .executeTakeFirst();
  if (other !== undefined)
    throw new KernelBotError("conflict", `an account already has the name ${quote(name)}; choose another name`);
  await requireDistinct(transaction, name, identity.account.id);
}

async function rejectDuplicateName<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as { constraint_name?: string }).constraint_name !== "team_name") throw error;
    throw new KernelBotError("conflict", `a team already has the name ${quote(name)}; choose another name`);
  }
}

function alreadyInTeam(competition: string): KernelBotError {
  return new KernelBotError("conflict", `you are already in a team of ${competition}`);
}
