/** Grades that platforms should have: those that the course computes now, stored for sending where they changed. */
import { sql } from "kysely";
import { maximumPoints } from "@kernelbot/core";
import { findCourse } from "../courses/courses.ts";
import { readStudents } from "../courses/grades.ts";
import type { Database } from "../db/database.ts";
import { idempotent } from "../db/idempotent.ts";
import { SCOPES } from "./claims.ts";

/**
 * Stores the grades of courses with links to platforms, so that the changed ones are sent. A grade that was sent and
 * exists no longer, such as that of a removed submission, becomes 0 points.
 * @param competition The only course; null for all.
 */
export async function updateScores(database: Database, competition: string | null = null): Promise<void> {
  const { rows } = await sql<{ competition: string }>`
    select distinct l.competition from lti_link l join lti_member m on m.competition = l.competition
    where l.revoked_at is null and ${SCOPES.score} = any(l.scopes) and (l.line_item is not null or l.line_items is not null)
      and (${competition}::text is null or l.competition = ${competition}::text)`.execute(database.db);
  for (const { competition: name } of rows) await updateCourse(database, name);
}

async function updateCourse(database: Database, competition: string): Promise<void> {
  const course = await findCourse(database.db, competition);
  if (course === null) return;
  const students = await readStudents(database, course, null);
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
  `.execute(idempotent(database.db));
}

/** Makes the failed grades of a course due now. */
export async function retryScores({ db }: Database, competition: string): Promise<void> {
  await sql`
    update lti_score s set tries = 0, error = null, due_at = now() from lti_link l
    where l.id = s.link_id and l.competition = ${competition} and s.error is not null`.execute(idempotent(db));
}
