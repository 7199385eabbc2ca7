/** What the tables of this folder store about a person. */
import { kept, redacted, type PersonalTable } from "@kernelbot/server/src/db/personal-tables.ts";

/** In the order in which an erasure executes their statements. */
export const COURSES_TABLES: readonly PersonalTable[] = [
  kept("course_extension", "deadlines of the person in courses", "kept with the roster", {
    rows: "(competition, email) in (select competition, email from course_student where account_id = $1)",
  }),
  redacted(
    "course_student",
    "row of the person on the roster of a course",
    "the account is taken off the row. Name and e-mail address remain on the roster, which the organiser of the course keeps and can delete",
    {
      erase:
        "update course_student set account_id = null, enrolled_by = null, enrolled_at = null where account_id = $1",
      obstacle: `
        select format('the account is a student of the course %s, which is graded by its results until %s; ask its organiser to release it first',
          c.name, to_char(c.ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) as obstacle
        from course_student s join competition c on c.name = s.competition
        where s.account_id = $1 and c.ends_at > now()`,
    },
  ),
];
