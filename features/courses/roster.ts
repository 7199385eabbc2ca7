/** The roster of a course, as its organisers change it. */
import { sql, type Transaction } from "kysely";
import { assignmentClosesAt } from "./rules.ts";
import { KernelBotError, quote } from "@kernelbot/core";
import { MAX_STUDENTS, type ExtensionRequest, type RosterResult } from "./messages.ts";
import { audit } from "@kernelbot/server/src/auth/audit.ts";
import type { Identity } from "@kernelbot/server/src/auth/identity.ts";
import { requireOrganiser } from "@kernelbot/server/src/competitions/organisers.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { idempotent } from "@kernelbot/server/src/db/idempotent.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";
import { getCourse, requireInWindow } from "./courses.ts";
import { parseRoster, type RosterRow } from "./roster-csv.ts";

/**
 * Adds and updates students by their address. Students that the file does not contain remain.
 * @throws KernelBotError `unprocessable` for an invalid file; `forbidden` or `not_found`.
 */
export async function importRoster(
  database: Database,
  identity: Identity,
  competition: string,
  csv: string,
): Promise<RosterResult> {
  return importStudents(database, identity, competition, parseRoster(csv));
}

/**
 * Adds and updates students by their address, each of which is in one row. Other students remain.
 * @throws KernelBotError `unprocessable` for too many students; `forbidden` or `not_found`.
 */
export async function importStudents(
  database: Database,
  identity: Identity,
  competition: string,
  students: readonly RosterRow[],
): Promise<RosterResult> {
  return changeCourse(database, identity, competition, async (transaction) => {
    // Serialises uploads, so that the counts are exact.
    await sql`select from course where competition = ${competition} for no key update`.execute(transaction);
    const before = await transaction
      .selectFrom("course_student")
      .select(["email", "name", "group_name"])
      .where("competition", "=", competition)
      .orderBy("email")
      .execute();
    const known = new Map(before.map((student) => [student.email, student]));
    const rows = students.map(({ email, name, platformUser, group = known.get(email)?.group_name ?? null }) => ({
      ...{ email, name, group, platform_user: platformUser },
    }));
    const added = rows.filter(({ email }) => !known.has(email)).length;
    if (before.length + added > MAX_STUDENTS) {
      throw new KernelBotError("unprocessable", `the roster would have more than ${MAX_STUDENTS} students`);
    }
    const changed = rows.filter(({ email, name, group }) => {
      const student = known.get(email);
      return student !== undefined && (student.name !== name || student.group_name !== group);
    });
    // A student whom an organiser added remains unbound: users may change their addresses at a platform.
    await sql`
      insert into course_student (competition, email, name, group_name, platform_user)
      select ${competition}, r.email, r.name, r."group", r.platform_user
      from json_to_recordset(${JSON.stringify(rows)}::text::json)
        as r (email text, name text, "group" text, platform_user text)
      on conflict (competition, email) do update set name = excluded.name, group_name = excluded.group_name
      where (course_student.name, course_student.group_name) is distinct from (excluded.name, excluded.group_name)
    `.execute(transaction);
    const uploaded = new Set(rows.map(({ email }) => email));
    const result = {
      added,
      updated: changed.length,
      unchanged: rows.length - added - changed.length,
      missing: before.map(({ email }) => email).filter((email) => !uploaded.has(email)),
    };
    await audit(transaction, identity, "roster", `competition ${competition}`, {
      ...result,
      missing: result.missing.length,
    });
    return result;
  });
}

/** Removes a student with their extensions. The account remains a member. @throws KernelBotError `not_found`. */
export async function removeStudent(
  database: Database,
  identity: Identity,
  competition: string,
  email: string,
): Promise<void> {
  await changeCourse(database, identity, competition, async (transaction) => {
    const removed = await transaction
      .deleteFrom("course_student")
      .where("competition", "=", competition)
      .where("email", "=", email.toLowerCase())
      .returning("account_id")
      .executeTakeFirst();
    if (removed === undefined) throw noStudent(competition, email);
    await audit(transaction, identity, "remove-student", `competition ${competition}`, {
      email,
      account: removed.account_id,
    });
  });
}

/** Separates a student from the account, so that another account can enrol. @throws KernelBotError `not_found`. */
export async function releaseStudent(
  database: Database,
  identity: Identity,
  competition: string,
  email: string,
): Promise<void> {
  await changeCourse(database, identity, competition, async (transaction) => {
    const { account_id: account } = await getStudent(transaction, competition, email);
    await transaction
      .updateTable("course_student")
      .set({ account_id: null, enrolled_by: null, enrolled_at: null })
      .where("competition", "=", competition)
      .where("email", "=", email.toLowerCase())
      .execute();
    await audit(transaction, identity, "release-student", `competition ${competition}`, { email, account });
  });
}

/**
 * Sets or removes the deadline of a student in an assignment.
 * @throws KernelBotError `not_found` for an unknown student or assignment; `conflict` if the competition closes before.
 */
export async function setExtension(
  database: Database,
  identity: Identity,
  competition: string,
  { email, problem, dueAt }: ExtensionRequest,
): Promise<void> {
  await changeCourse(database, identity, competition, async (transaction) => {
    const student = await getStudent(transaction, competition, email);
    const { assignments } = await getCourse(transaction, competition);
    const assignment = assignments.find((each) => each.problem === problem);
    if (assignment === undefined) {
      const known = assignments.map((each) => each.problem).join(", ");
      throw new KernelBotError(
        "not_found",
        `${quote(problem)} is not an assignment of ${competition}; those are ${known}`,
      );
    }
    if (dueAt === null) {
      await transaction
        .deleteFrom("course_extension")
        .where("competition", "=", competition)
        .where("email", "=", student.email)
        .where("problem", "=", problem)
        .execute();
    } else {
      await requireInWindow(transaction, problem, assignmentClosesAt(assignment, dueAt));
      const due_at = new Date(dueAt);
      await transaction
        .insertInto("course_extension")
        .values({ competition, email: student.email, problem, due_at })
        .onConflict((conflict) => conflict.columns(["competition", "email", "problem"]).doUpdateSet({ due_at }))
        .execute();
    }
    await audit(transaction, identity, "extend", `competition ${competition}`, { email, problem, dueAt });
  });
}

/** Executes `work` in a transaction for an organiser of a course. @throws KernelBotError `forbidden` or `not_found`. */
async function changeCourse<Result>(
  { db }: Database,
  identity: Identity,
  competition: string,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  return runTransaction(idempotent(db), async (transaction) => {
    await requireOrganiser(transaction, identity, [competition]);
    await getCourse(transaction, competition);
    return work(transaction);
  });
}

async function getStudent(transaction: Transaction<Tables>, competition: string, email: string) {
  const student = await transaction
    .selectFrom("course_student")
    .select(["email", "account_id"])
    .where("competition", "=", competition)
    .where("email", "=", email.toLowerCase())
    .executeTakeFirst();
  if (student === undefined) throw noStudent(competition, email);
  return student;
}

function noStudent(competition: string, email: string): KernelBotError {
  return new KernelBotError("not_found", `${quote(email)} is not on the roster of ${competition}`);
}
