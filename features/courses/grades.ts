/** Deadlines, submissions and grades of the students of a course, computed from the ranking whenever they are read. */
import { sql } from "kysely";
import { assignmentClosesAt } from "./rules.ts";
import { gradeAssignment, totalPoints, type GradedSubmission } from "./grade.ts";
import type { Course, CourseStudent, CourseStudents, OwnCourse } from "./messages.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { readOrganised } from "@kernelbot/server/src/competitions/competitions.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { getCourse, readCourse } from "./courses.ts";

/** Lists the students of a course that the caller organises. @throws KernelBotError `forbidden` or `not_found`. */
export async function listStudents(database: Database, identity: Identity, name: string): Promise<CourseStudents> {
  await readOrganised(database, identity, name);
  const course = await getCourse(database.db, name);
  return { course, students: await readStudents(database, course, null) };
}

/** Returns the caller's own row of the roster. @throws KernelBotError `not_found`. */
export async function readOwnCourse(database: Database, identity: Identity, name: string): Promise<OwnCourse> {
  const course = await readCourse(database, identity, name);
  const [student = null] = await readStudents(database, course, identity.account.id);
  return { course, student };
}

/** Student with the runs of the ranking that count for them, by problem. */
interface StudentRow {
  email: string;
  name: string;
  group_name: string | null;
  account_id: string | null;
  account_name: string | null;
  enrolled_by: CourseStudent["enrolledBy"];
  enrolled_at: Date | null;
  extensions: { problem: string; dueAt: string }[];
  submissions: { problem: string; count: number }[];
  runs: ({ problem: string } & GradedSubmission)[];
}

/**
 * Reads the students of a course by name. A run counts for the student who submitted it, or for all members of the team
 * that the ranking assigns it to.
 * @param accountId Account of the only student to read; null for all.
 */
export async function readStudents(
  { db }: Pick<Database, "db">,
  course: Course,
  accountId: string | null,
): Promise<CourseStudent[]> {
  const { competition } = course;
  const moment = (column: string) => sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);
  const { rows } = await sql<StudentRow>`
    with student as (
      select s.*, account.name as account_name, coalesce('team:' || m.team_id, s.account_id) as entrant
      from course_student s
      left join account on account.id = s.account_id
      left join team_member m on m.competition = s.competition and m.account_id = s.account_id and m.left_at is null
      where s.competition = ${competition} and (${accountId}::text is null or s.account_id = ${accountId}::text)
    ), graded as (
      select k.entrant, json_agg(json_build_object('problem', k.problem, 'submissionId', k.submission_id,
        'submittedAt', ${moment("k.created_at")}, 'timeNs', k.time_ns, 'speedup', k.speedup)) as runs
      from course_assignment a
      join problem p on p.name = a.problem and p.competition = a.competition
      join board b on b.problem = a.problem and b.target = a.target
      join ranking k on k.problem = b.problem and k.target = b.target and k.revision = b.revision
      where a.competition = ${competition} and k.entrant in (select entrant from student)
      group by k.entrant
    ), submitted as (
      select account_id, json_agg(json_build_object('problem', problem, 'count', count)) as submissions
      from (
        select s.account_id, s.problem, count(*) as count
        from submission s join course_assignment a on a.competition = ${competition} and a.problem = s.problem
        where s.mode = 'ranked' and not s.is_evaluation and s.removed_at is null
          and s.account_id in (select account_id from student)
        group by s.account_id, s.problem
      ) counted group by account_id
    ), extended as (
      select email, json_agg(json_build_object('problem', problem, 'dueAt', ${moment("due_at")})) as extensions
      from course_extension where competition = ${competition} group by email
    )
    select s.email, s.name, s.group_name, s.account_id, s.account_name, s.enrolled_by, s.enrolled_at,
      coalesce(e.extensions, '[]') as extensions, coalesce(u.submissions, '[]') as submissions, coalesce(g.runs, '[]') as runs
    from student s
    left join extended e on e.email = s.email
    left join submitted u on u.account_id = s.account_id
    left join graded g on g.entrant = s.entrant
    order by name_key(s.name), s.email`.execute(db);
  return rows.map((row) => toStudent(course, row));
}

function toStudent(course: Course, row: StudentRow): CourseStudent {
  const assignments = course.assignments.map((assignment) => {
    const { problem } = assignment;
    const extension = row.extensions.find((each) => each.problem === problem);
    const dueAt = extension?.dueAt ?? assignment.dueAt;
    const runs = row.runs
      .filter((run) => run.problem === problem)
      .map(({ submissionId, submittedAt, timeNs, speedup }) => ({ submissionId, submittedAt, timeNs, speedup }));
    return {
      problem,
      dueAt,
      isExtended: extension !== undefined,
      closesAt: assignmentClosesAt(assignment, dueAt),
      submissions: row.submissions.find((each) => each.problem === problem)?.count ?? 0,
      grade: gradeAssignment(assignment, runs, dueAt),
    };
  });
  return {
    email: row.email,
    name: row.name,
    group: row.group_name,
    account:
      row.account_id === null || row.account_name === null ? null : { id: row.account_id, name: row.account_name },
    enrolledBy: row.enrolled_by,
    enrolledAt: row.enrolled_at?.toISOString() ?? null,
    assignments,
    totalPoints: totalPoints(assignments.map(({ grade }) => grade)),
  };
}
