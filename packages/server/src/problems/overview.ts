/** Lists problems for organisers. */
import { sql } from "kysely";
import { byTarget, type ProblemOverview } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { hasRole, requireRole, type Identity } from "../auth/identity.ts";

/**
 * Lists the problems that the caller may close and retire, by name: those of their own competitions, or all for
 * administrators; only those of a range, counted from 1, if one is given. Problems of KernelBench suites are left out,
 * as they are managed with their suite.
 */
export async function listOwnProblems(
  database: Database,
  identity: Identity,
  range?: { from: number; to: number },
): Promise<ProblemOverview[]> {
  const rows = await ownProblems(database, identity)
    .innerJoin("problem_window as w", "w.problem", "problem.name")
    .select(["name", "set_name", "source", "version", "updated_at", "competition", "w.closes_at"])
    .select(
      sql<ProblemOverview["versions"]>`coalesce((
          select json_agg(json_build_object('hash', c.version, 'createdAt', c.at, 'changes', c.changes,
            'source', c.source, 'revision', c.revision, 'by', a.name) order by c.id desc)
          from problem_change c left join account a on a.id = c.account_id where c.problem = problem.name
        ), '[]')`.as("versions"),
    )
    .select(
      sql<
        ProblemOverview["boards"]
      >`coalesce((select json_agg(json_build_object('target', b.target, 'accepts', b.accepts, 'revision', b.revision)) from board b where b.problem = problem.name), '[]')`.as(
        "boards",
      ),
    )
    .select(
      sql<number>`(select count(*) from submission s where s.problem = problem.name and not s.is_evaluation)`.as(
        "submissions",
      ),
    )
    .orderBy("name")
    .$if(range !== undefined, (query) => {
      const { from, to } = range as { from: number; to: number };
      return query.offset(from - 1).limit(to - from + 1);
    })
    .execute();
  return rows.map((row) => ({
    name: row.name,
    set: row.set_name,
    version: row.version,
    source: row.source,
    versions: row.versions.map((one) => ({ ...one, createdAt: new Date(one.createdAt).toISOString() })),
    updatedAt: row.updated_at.toISOString(),
    competition: row.competition,
    closesAt: row.closes_at?.toISOString() ?? null,
    boards: row.boards.toSorted(byTarget),
    submissions: row.submissions,
  }));
}

/** Returns the number of problems that `listOwnProblems` lists, and how many of them come before a name. */
export async function countOwnProblems(
  database: Database,
  identity: Identity,
  name = "",
): Promise<{ all: number; before: number }> {
  return ownProblems(database, identity)
    .select(sql<number>`count(*)`.as("all"))
    .select(sql<number>`count(*) filter (where name < ${name})`.as("before"))
    .executeTakeFirstOrThrow();
}

function ownProblems({ db }: Database, identity: Identity) {
  requireRole(identity, "organiser");
  return db
    .selectFrom("problem")
    .where("suite", "is", null)
    .$if(!hasRole(identity, "administrator"), (query) =>
      query.where("competition", "in", (own) =>
        own
          .selectFrom("competition_organiser")
          .select("competition_organiser.competition")
          .where("account_id", "=", identity.account.id),
      ),
    );
}

/**
 * Returns the names of the problems that can be added to a competition: those that are in it or in none. For a new
 * competition pass null.
 */
export async function freeProblems({ db }: Database, competition: string | null): Promise<string[]> {
  const rows = await db
    .selectFrom("problem")
    .select("name")
    .where("suite", "is", null)
    .where((where) => where.or([where("competition", "is", null), where("competition", "=", competition)]))
    .orderBy("name")
    .execute();
  return rows.map(({ name }) => name);
}
