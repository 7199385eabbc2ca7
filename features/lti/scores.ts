/** Grades that platforms should have: those that the course computes now, stored for sending where they changed. */
import { sql, type Transaction } from "kysely";
import { GRADING_VERSION, maximumPoints } from "../courses/grade.ts";
import { findCourse } from "../courses/courses.ts";
import { readStudents } from "../courses/grades.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { idempotent } from "@kernelbot/server/src/db/idempotent.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { SCOPES } from "./claims.ts";
import { readCourseLti } from "./links.ts";

/** SQL: the rows of a table about the course `c`, in a text; null if there are none. */
const rowsOf = (table: string) => sql`(select string_agg(t::text, ' ' order by t::text) from ${sql.table(table)} t
  where t.competition = c.competition)`;

/** SQL: fingerprint of what the grades of the course `c`, and their columns at platforms, are computed from. */
const FINGERPRINT = sql<string>`md5(concat_ws('|', ${GRADING_VERSION}::integer,
  ${rowsOf("course_assignment")}, ${rowsOf("course_student")}, ${rowsOf("course_extension")}, ${rowsOf("team_member")},
  ${rowsOf("lti_member")},
  (select string_agg(concat_ws(' ', l.id, l.problem, l.platform_id, l.context, l.line_items, l.scopes, l.revoked_at), ' ' order by l.id)
    from lti_link l where l.competition = c.competition),
  (select concat_ws(' ', count(*),
      sum(hash_record_extended((k.problem, k.entrant, k.submission_id, k.created_at, k.time_ns, k.speedup), 0)::numeric))
    from course_assignment a
    join problem p on p.name = a.problem and p.competition = a.competition
    join board b on b.problem = a.problem and b.target = a.target
    join ranking k on k.problem = b.problem and k.target = b.target and k.revision = b.revision
    where a.competition = c.competition)))`;

/**
 * Stores the grades of courses with links to platforms that have changed, so that they are sent. A grade that was sent
 * and exists no longer, such as that of a removed submission, becomes 0 points.
 * @param competition The only course; null for all.
 * @returns the courses whose grades were computed.
 */
export async function updateScores(database: Database, competition: string | null = null): Promise<string[]> {
  const { rows } = await sql<{ competition: string }>`
    select c.competition from course c
    where (${competition}::text is null or c.competition = ${competition}::text)
      and exists (select from lti_member m where m.competition = c.competition)
      and exists (select from lti_link l where l.competition = c.competition and l.revoked_at is null
        and ${SCOPES.score} = any(l.scopes) and (l.line_item is not null or l.line_items is not null))
      and c.scores_of is distinct from ${FINGERPRINT}`.execute(database.db);
  const updated: string[] = [];
  for (const { competition: name } of rows) {
    const isUpdated = await runTransaction(idempotent(database.db), (transaction) => updateCourse(transaction, name));
    if (isUpdated) updated.push(name);
  }
  return updated;
}

/** @returns false if another server has computed the grades meanwhile. */
async function updateCourse(transaction: Transaction<Tables>, competition: string): Promise<boolean> {
  await sql`select from course where competition = ${competition} for no key update`.execute(transaction);
  // Before the grades are read, so that a change during the computation is found by the next one.
  const { rows } = await sql`
    update course c set scores_of = ${FINGERPRINT}
    where c.competition = ${competition} and c.scores_of is distinct from ${FINGERPRINT} returning c.competition`.execute(
    transaction,
  );
  const course = await findCourse(transaction, competition);
  if (rows.length === 0 || course === null) return false;
  const students = await readStudents({ db: transaction }, course, null);
  const cells = course.assignments.flatMap((assignment, index) => {
    const maximum = maximumPoints(assignment);
    if (maximum === 0) return [];
    return students.flatMap(({ account, assignments }) => {
      if (account === null) return [];
      const points = assignments[index]?.grade?.points ?? null;
      return [{ problem: assignment.problem, account: account.id, points, maximum }];
    });
  });
  await sql`
    insert into lti_score (link_id, problem, account_id, points, maximum)
    select l.id, c.problem, c.account, coalesce(c.points, 0), c.maximum
    from json_to_recordset(${JSON.stringify(cells)}::text::json)
      as c (problem text, account text, points double precision, maximum double precision)
    join lti_member m on m.competition = ${competition} and m.account_id = c.account
    join lti_link l on l.competition = m.competition and l.platform_id = m.platform_id and l.context = m.context
      and l.revoked_at is null and ${SCOPES.score} = any(l.scopes)
      and (l.problem = c.problem or (l.problem is null and l.line_items is not null))
    where c.points is not null
      or exists (select from lti_score s where s.link_id = l.id and s.problem = c.problem and s.account_id = c.account)
    on conflict on constraint lti_score_cell do update
      set points = excluded.points, maximum = excluded.maximum, tries = 0, error = null, due_at = now()
      where (lti_score.points, lti_score.maximum) is distinct from (excluded.points, excluded.maximum)
  `.execute(transaction);
  return true;
}

/** Makes the failed grades of a course due now. */
export async function retryScores({ db }: Database, competition: string): Promise<void> {
  await sql`
    update lti_score s set tries = 0, error = null, due_at = now() from lti_link l
    where l.id = s.link_id and l.competition = ${competition} and s.error is not null`.execute(idempotent(db));
}

/**
 * Makes the changed grades of a course, and those that failed, due now.
 * @throws KernelBotError `forbidden` or `not_found` as `readCourseLti`.
 */
export async function sendGradesNow(database: Database, identity: Identity, competition: string): Promise<void> {
  await readCourseLti(database, identity, competition);
  await updateScores(database, competition);
  await retryScores(database, competition);
}
