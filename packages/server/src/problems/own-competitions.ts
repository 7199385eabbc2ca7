/**
 * Competitions of only one board, which bear its name: an adoption makes one for each leaderboard, and `--closed` for each
 * new problem. A competition file that lists such boards takes them, with their members, and the competition is deleted.
 */
import { sql, type Kysely, type Transaction } from "kysely";
import { KernelBotError, type Competition, type CompetitionSpec } from "@kernelbot/core";
import { audit } from "../auth/audit.ts";
import type { Identity } from "../auth/identity.ts";
import { readCompetition } from "../competitions/competitions.ts";
import { requireOrganiser } from "../competitions/organisers.ts";
import type { Database } from "../db/database.ts";
import type { Tables } from "../db/tables.ts";

/** Returns the competitions of only one of these problems each, in the order of the problems, except `name` itself. */
export async function findOwnCompetitions(
  database: Database,
  identity: Identity,
  { name, problems }: Pick<CompetitionSpec, "name" | "problems">,
): Promise<Competition[]> {
  const listed = problems.map((problem) => problem.name).filter((problem) => problem !== name);
  const names = await listOwn(database.db, listed);
  const own = listed.filter((problem) => names.has(problem));
  const competitions = await Promise.all(own.map((one) => readCompetition(database, identity, one)));
  return competitions.filter((competition) => competition !== null);
}

/** Returns which of these names are those of competitions of only one board, without teams, course or imported rows. */
async function listOwn(db: Kysely<Tables>, names: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select name from competition c where name = any(${[...names]}::text[])
      and (select array_agg(p.name) from problem p where p.competition = c.name) = array[name]
      and not exists (select from team where competition = c.name)
      and not exists (select from course where competition = c.name)
      and not exists (select from import where competition = c.name)`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** Settings that decide who sees, enters and reads: a board does not change them by moving. */
const RULES = {
  visibility: "visibility",
  participants: "participants",
  groups: "groups",
  names: "names on the boards",
  codeVisibility: "visibility of sources",
  targets: "targets",
} as const satisfies Partial<Record<keyof CompetitionSpec, string>>;

/** Returns why the boards of competitions cannot move into `spec`; null if they have the same rules. */
export function ruleDifference(own: readonly Competition[], spec: CompetitionSpec): string | null {
  for (const competition of own) {
    for (const [key, word] of Object.entries(RULES) as [keyof typeof RULES, string][]) {
      const [there, here] = [competition[key], spec[key]].map((value) => (value === null ? "all" : String(value)));
      if (there === here) continue;
      return (
        `${competition.name} cannot move from its own competition ${competition.name} into ${spec.name}: ${word} is ` +
        `${there} there and ${here} here. Set both to the same, then try again`
      );
    }
  }
  return null;
}

/**
 * Takes the boards out of their own competitions, and locks these.
 * @throws KernelBotError `forbidden` if the caller does not organise one of them; `conflict` if one has changed since
 * `findOwnCompetitions`.
 */
export async function releaseBoards(
  transaction: Transaction<Tables>,
  identity: Identity,
  own: readonly Competition[],
): Promise<void> {
  if (own.length === 0) return;
  const names = own.map(({ name }) => name);
  await requireOrganiser(transaction, identity, names);
  await transaction
    .selectFrom("competition")
    .select("name")
    .where("name", "in", names)
    .orderBy("name")
    .forUpdate()
    .execute();
  const still = await listOwn(transaction, names);
  const changed = names.find((name) => !still.has(name));
  if (changed !== undefined) {
    throw new KernelBotError("conflict", `the competition ${changed} has changed in the meantime; try again`);
  }
  await transaction.updateTable("problem").set({ competition: null }).where("competition", "in", names).execute();
}

/** Moves organisers, invites, raised limits and webhooks of competitions without boards to `into`, and deletes them. */
export async function mergeOwn(
  transaction: Transaction<Tables>,
  identity: Identity,
  own: readonly Competition[],
  into: string,
): Promise<void> {
  if (own.length === 0) return;
  const names = own.map(({ name }) => name);
  const from = sql`competition = any(${names}::text[])`;
  await sql`insert into competition_organiser (competition, account_id)
    select ${into}, account_id from competition_organiser where ${from} on conflict do nothing`.execute(transaction);
  await sql`insert into invite_competition (competition, code)
    select ${into}, code from invite_competition where ${from} on conflict do nothing`.execute(transaction);
  await sql`insert into account_limit (account_id, competition, mode, quantity, bound)
    select account_id, ${into}, mode, quantity, max(bound) from account_limit where ${from} group by 1, 3, 4
    on conflict do nothing`.execute(transaction);
  await transaction.updateTable("invite_link").set({ competition: into }).where("competition", "in", names).execute();
  await transaction.updateTable("webhook").set({ competition: into }).where("competition", "in", names).execute();
  await transaction.deleteFrom("competition_organiser").where("competition", "in", names).execute();
  await transaction.deleteFrom("invite_competition").where("competition", "in", names).execute();
  await transaction.deleteFrom("account_limit").where("competition", "in", names).execute();
  await transaction.deleteFrom("submission_limit").where("competition", "in", names).execute();
  await transaction.deleteFrom("competition").where("name", "in", names).execute();
  for (const name of names) await audit(transaction, identity, "delete", `competition ${name}`, { mergedInto: into });
}
