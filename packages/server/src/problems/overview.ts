/** Lists problems for organisers. */
import { sql } from "kysely";
import type { ProblemOverview } from "@kernelbot/core";
import type { Database } from "../db/database.ts";
import { hasRole, requireRole, type Identity } from "../auth/identity.ts";

/**
 * Lists the problems that the caller may close and retire, by name: those of their own competitions, or all for
 * administrators. Problems of KernelBench suites are left out, as they are managed with their suite.
 */
export async function listOwnProblems({ db }: Database, identity: Identity): Promise<ProblemOverview[]> {
  requireRole(identity, "organiser");
  const rows = await db
    .selectFrom("problem")
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
      >`coalesce((select json_agg(json_build_object('target', b.target, 'accepts', b.accepts, 'revision', b.revision)
          order by b.target) from board b where b.problem = problem.name), '[]')`.as("boards"),
    )
    .select(
      sql<number>`(select count(*) from submission s where s.problem = problem.name and not s.is_evaluation)`.as(
        "submissions",
      ),
    )
    .$if(!hasRole(identity, "administrator"), (query) =>
      query.where("competition", "in", (own) =>
        own
          .selectFrom("competition_organiser")
          .select("competition_organiser.competition")
          .where("account_id", "=", identity.account.id),
      ),
    )
    .where("suite", "is", null)
    .orderBy("name")
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
    boards: row.boards,
    submissions: row.submissions,
  }));
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
