/** Courses: competitions whose problems are assignments with deadlines and grading rules. */
import type { Kysely, Transaction } from "kysely";
import { assignmentClosesAt, type Assignment, type CourseSpec } from "./rules.ts";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Course } from "./messages.ts";
import { audit } from "@kernelbot/server/src/auth/audit.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { noCompetition, type Viewer } from "@kernelbot/server/src/auth/visibility.ts";
import { readCompetition } from "@kernelbot/server/src/competitions/competitions.ts";
import { requireOrganiser } from "@kernelbot/server/src/competitions/organisers.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { idempotent } from "@kernelbot/server/src/db/idempotent.ts";
import { json } from "@kernelbot/server/src/db/json.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";

/**
 * Returns the settings of a course.
 * @throws KernelBotError `not_found` if the viewer may not see the competition, or it is not a course.
 */
export async function readCourse(database: Database, viewer: Viewer, name: string): Promise<Course> {
  if ((await readCompetition(database, viewer, name)) === null) throw noCompetition(name);
  return getCourse(database.db, name);
}

/** Returns the settings of a course without a visibility check. @throws KernelBotError `not_found`. */
export async function getCourse(db: Kysely<Tables>, name: string): Promise<Course> {
  const course = await findCourse(db, name);
  if (course === null) {
    throw new KernelBotError(
      "not_found",
      `the competition ${quote(name)} is not a course; its organiser can make it one`,
    );
  }
  return course;
}

/** Returns the settings of a course, assignments by deadline, without a visibility check; null if it is not a course. */
export async function findCourse(db: Kysely<Tables>, name: string): Promise<Course | null> {
  const [course, rows] = await Promise.all([
    db.selectFrom("course").selectAll().where("competition", "=", name).executeTakeFirst(),
    db
      .selectFrom("course_assignment")
      .selectAll()
      .where("competition", "=", name)
      .orderBy("due_at")
      .orderBy("problem")
      .execute(),
  ]);
  if (course === undefined) return null;
  return {
    competition: name,
    enrolment: course.enrolment,
    assignments: rows.map((row) => ({
      problem: row.problem,
      target: row.target,
      dueAt: row.due_at.toISOString(),
      correctPoints: row.correct_points,
      thresholds: row.thresholds,
      lateDays: row.late_days,
      penaltyPerDay: row.penalty_per_day,
      counts: row.counts,
    })),
  };
}

/**
 * Makes a competition a course, or replaces its settings. The roster remains. Extensions of removed assignments are
 * deleted.
 * @throws KernelBotError `forbidden` or `not_found` as `requireOrganiser`; `conflict` if an assignment is not a board of
 * the competition, or the competition closes it before its last late day.
 */
export async function setCourse({ db }: Database, identity: Identity, spec: CourseSpec): Promise<Course> {
  const name = spec.competition;
  return runTransaction(idempotent(db), async (transaction) => {
    await requireOrganiser(transaction, identity, [name]);
    await transaction
      .insertInto("course")
      .values({ competition: name, enrolment: spec.enrolment })
      .onConflict((conflict) => conflict.column("competition").doUpdateSet({ enrolment: spec.enrolment }))
      .execute();
    const problems = spec.assignments.map(({ problem }) => problem);
    await transaction
      .deleteFrom("course_assignment")
      .where("competition", "=", name)
      .$if(problems.length > 0, (query) => query.where("problem", "not in", problems))
      .execute();
    for (const assignment of spec.assignments) await setAssignment(transaction, name, assignment);
    await audit(transaction, identity, "course", `competition ${name}`, spec);
    return getCourse(transaction, name);
  });
}

async function setAssignment(
  transaction: Transaction<Tables>,
  competition: string,
  assignment: Assignment,
): Promise<void> {
  const { problem, target, dueAt } = assignment;
  const board = await transaction
    .selectFrom("board")
    .innerJoin("problem", "problem.name", "board.problem")
    .innerJoin("problem_window as w", "w.problem", "problem.name")
    .select("w.targets")
    .where("problem.name", "=", problem)
    .where("problem.competition", "=", competition)
    .where("board.target", "=", target)
    .executeTakeFirst();
  if (board === undefined || board.targets?.includes(target) === false) {
    throw new KernelBotError(
      "conflict",
      `${problem} on ${target} is not a board of ${competition}; add the problem and the target to the competition first`,
    );
  }
  const { extended } = await transaction
    .selectFrom("course_extension")
    .select(({ fn }) => fn.max<Date | null>("due_at").as("extended"))
    .where("competition", "=", competition)
    .where("problem", "=", problem)
    .executeTakeFirstOrThrow();
  const last = new Date(Math.max(Date.parse(dueAt), extended?.getTime() ?? 0)).toISOString();
  await requireInWindow(transaction, problem, assignmentClosesAt(assignment, last));
  const values = {
    target,
    due_at: new Date(dueAt),
    correct_points: assignment.correctPoints,
    thresholds: json(assignment.thresholds),
    late_days: assignment.lateDays,
    penalty_per_day: assignment.penaltyPerDay,
    counts: assignment.counts,
  };
  await transaction
    .insertInto("course_assignment")
    .values({ competition, problem, ...values })
    .onConflict((conflict) => conflict.columns(["competition", "problem"]).doUpdateSet(values))
    .execute();
}

/**
 * Checks that the competition accepts submissions to a problem until the given time. Late submissions are within the
 * competition, so that sources and seeds stay closed until the last student's deadline.
 * @throws KernelBotError `conflict`.
 */
export async function requireInWindow(transaction: Transaction<Tables>, problem: string, until: string): Promise<void> {
  const { closes_at: closesAt } = await transaction
    .selectFrom("problem_window")
    .select("closes_at")
    .where("problem", "=", problem)
    .executeTakeFirstOrThrow();
  if (closesAt === null || closesAt.getTime() >= Date.parse(until)) return;
  throw new KernelBotError(
    "conflict",
    `${problem} closes at ${closesAt.toISOString()}, before the last late day ends at ${until}; move ends_at of the competition first`,
  );
}
