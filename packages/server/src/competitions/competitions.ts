/** Reads competitions. */
import { sql, type RawBuilder } from "kysely";
import { limitsOf, compareTargets, type Competition, type CompetitionProblem, type Limit } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { runTransaction } from "../db/transaction.ts";
import { hasRole, requireRole, type Identity } from "../auth/identity.ts";
import { listed, reachable, type Viewer } from "../auth/visibility.ts";
import { requireOrganiser } from "./organisers.ts";
import { namesOf } from "./pseudonyms.ts";

/** Lists the competitions for a viewer: current and future ones first, ordered by how close their end is. */
export async function listCompetitions(database: Database, viewer: Viewer): Promise<Competition[]> {
  const rows = await competitionRows(database)
    .where(listed(viewer, "competition.name"))
    .orderBy(sql`ends_at <= now()`)
    .orderBy(sql`abs(extract(epoch from ends_at - now()))`)
    .orderBy("competition.name")
    .execute();
  return rows.map((row) => competitionOf(row, viewer));
}

/** Lists the competitions that the caller may change, the newest first: their own, or all for administrators. */
export async function listOrganised(database: Database, identity: Identity): Promise<Competition[]> {
  requireRole(identity, "organiser");
  const rows = await competitionRows(database)
    .$if(!hasRole(identity, "administrator"), (query) =>
      query.where((where) =>
        where.exists(
          where
            .selectFrom("competition_organiser as own")
            .select("own.competition")
            .whereRef("own.competition", "=", "competition.name")
            .where("own.account_id", "=", identity.account.id),
        ),
      ),
    )
    .orderBy("starts_at", "desc")
    .orderBy("competition.name")
    .execute();
  return rows.map((row) => competitionOf(row, identity));
}

/** Returns a competition that the caller may change. @throws KernelBotError `forbidden` or `not_found`. */
export async function readOrganised(database: Database, identity: Identity, name: string): Promise<Competition> {
  await runTransaction(idempotent(database.db), (transaction) => requireOrganiser(transaction, identity, [name]));
  return findCompetition(database, name);
}

/** Returns a competition, or null if the viewer may not see it. */
export async function readCompetition(database: Database, viewer: Viewer, name: string): Promise<Competition | null> {
  const row = await competitionRows(database)
    .where("competition.name", "=", name)
    .where(reachable(viewer, "competition.name"))
    .executeTakeFirst();
  return row === undefined ? null : competitionOf(row, viewer);
}

/** Returns when each of these competitions was created, by name. Does not check access. */
export async function readAnnouncements({ db }: Database, names: readonly string[]): Promise<Map<string, Date>> {
  const rows = await db
    .selectFrom("competition")
    .select(["name", "created_at"])
    .where("name", "=", sql<string>`any(${[...names]}::text[])`)
    .execute();
  return new Map(rows.map(({ name, created_at: at }) => [name, at]));
}

/** Returns a competition without a visibility check, for callers that have just created or changed it. */
export async function findCompetition(database: Database, name: string): Promise<Competition> {
  const row = await competitionRows(database).where("competition.name", "=", name).executeTakeFirstOrThrow();
  return competitionOf(row, "organiser");
}

function competitionRows({ db }: Database) {
  return db
    .selectFrom("competition")
    .selectAll("competition")
    .select(
      sql<Competition["organisers"]>`coalesce((
        select json_agg(json_build_object('id', a.id, 'name', a.name) order by a.name)
        from competition_organiser o join account a on a.id = o.account_id where o.competition = competition.name
      ), '[]')`.as("organisers"),
    )
    .select(
      sql<(CompetitionProblem & { limits: Limit[] })[]>`coalesce((
        select json_agg(json_build_object('name', p.name, 'targets', p.targets,
          'endsAt', to_char(p.ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'limits', ${limitRows(sql`l.problem = p.name`)}) order by p.name)
        from problem p where p.competition = competition.name
      ), '[]')`.as("problems"),
    )
    .select(sql<Limit[]>`${limitRows(sql`l.competition = competition.name`)}`.as("limits"));
}

/** SQL: limits as a JSON array. */
function limitRows(whose: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((select json_agg(json_build_object('mode', l.mode, 'quantity', l.quantity, 'bound', l.bound))
    from submission_limit l where ${whose}), '[]')`;
}

type CompetitionRow = Awaited<ReturnType<ReturnType<typeof competitionRows>["execute"]>>[number];

/** @param reader Only readers who may change the competition see its groups, which describe their organisation. */
function competitionOf(row: CompetitionRow, reader: Viewer | "organiser"): Competition {
  const maySeeGroups =
    reader === "organiser" ||
    (reader !== undefined &&
      (hasRole(reader, "administrator") || row.organisers.some(({ id }) => id === reader.account.id)));
  return {
    name: row.name,
    title: row.title,
    description: row.description,
    visibility: row.visibility,
    startsAt: row.starts_at.toISOString(),
    endsAt: row.ends_at.toISOString(),
    freezeAt: row.freeze_at?.toISOString() ?? null,
    revealAt: row.reveal_at?.toISOString() ?? null,
    participants: row.participants,
    groups: maySeeGroups ? row.groups : [],
    names: namesOf(row.pseudonym_key),
    limits: limitsOf(row.limits),
    codeVisibility: row.code_visibility,
    licence: row.licence,
    teamSize: row.team_size,
    organisers: row.organisers,
    targets: row.targets?.toSorted(compareTargets) ?? null,
    problems: row.problems.map(({ limits, ...problem }) => ({
      ...problem,
      targets: problem.targets?.toSorted(compareTargets) ?? null,
      ...(limits.length > 0 && { limits: limitsOf(limits) }),
    })),
  };
}
