/** Enrolment: matches the account of a member with a student of the roster. */
import { sql, type Transaction } from "kysely";
import { KernelBotError, quote } from "@kernelbot/core";
import type { Course } from "./messages.ts";
import { requireScope, type Identity } from "@kernelbot/server/src/auth/identity.ts";
import { lockAccount } from "@kernelbot/server/src/auth/lock-account.ts";
import { findGuessLimit, recordIncorrectCode } from "@kernelbot/server/src/competitions/codes.ts";
import { requireParticipant } from "@kernelbot/server/src/competitions/participants.ts";
import type { Database } from "@kernelbot/server/src/db/database.ts";
import { idempotent } from "@kernelbot/server/src/db/idempotent.ts";
import type { Tables } from "@kernelbot/server/src/db/tables.ts";
import { runTransaction } from "@kernelbot/server/src/db/transaction.ts";
import { findCourse, getCourse, readCourse } from "./courses.ts";

/**
 * Enrols the caller. Idempotent for an enrolled account.
 * @param email Address on the roster; by default an address that the caller signs in with.
 * @throws KernelBotError `forbidden` if the caller is not a participant; `not_found` if the roster does not have the
 * address; `conflict` if the course requires a verified address or the student has another account;
 * `too_many_requests` after too many addresses that are not on the roster.
 */
export async function enrol(
  database: Database,
  identity: Identity,
  competition: string,
  email: string | undefined,
): Promise<void> {
  requireScope(identity, "submit");
  const accountId = identity.account.id;
  const course = await readCourse(database, identity, competition);
  // Errors are thrown after the commit, because an incorrect address must be recorded.
  const refusal = await runTransaction(idempotent(database.db), async (transaction) => {
    await requireParticipant(transaction, accountId, competition);
    await lockAccount(transaction, accountId);
    if (await isEnrolled(transaction, accountId, competition)) return null;
    if (await enrolByVerifiedEmail(transaction, accountId, competition)) return null;
    return email === undefined
      ? noVerifiedStudent(course)
      : enrolByEnteredEmail(transaction, accountId, course, email.trim().toLowerCase());
  });
  if (refusal !== null) throw refusal;
}

/**
 * Enrols an account that has just joined a competition by one of its verified addresses, if that is a course and has
 * such a student. @returns whether the competition is a course.
 */
export async function enrolOnJoin({ db }: Database, { account }: Identity, competition: string): Promise<boolean> {
  return runTransaction(idempotent(db), async (transaction) => {
    if ((await findCourse(transaction, competition)) === null) return false;
    await lockAccount(transaction, account.id);
    if (await isEnrolled(transaction, account.id, competition)) return true;
    await enrolByVerifiedEmail(transaction, account.id, competition);
    return true;
  });
}

/** A student as a learning platform names them. */
interface PlatformStudent {
  /** Empty if the platform sends none. */
  name: string;
  email: string | null;
  /** Whether the platform states that the address belongs to the student. */
  isEmailVerified: boolean;
  /** Address that identifies the student on the roster, also where no other address does. */
  placeholder: string;
}

/**
 * Enrols an account that a learning platform names as a student: as the student whom the platform's list added, or whose
 * address belongs to the account, or else as a new one. The address that the platform sends counts if it states that the
 * address belongs to the user, since many platforms let users enter any, or if the course accepts entered addresses.
 * @returns the address on the roster; null if the account was enrolled already, or is by an address that it signs in with.
 */
export async function enrolFromPlatform(
  transaction: Transaction<Tables>,
  accountId: string,
  competition: string,
  { name, email, isEmailVerified, placeholder }: PlatformStudent,
): Promise<string | null> {
  await lockAccount(transaction, accountId);
  if (await isEnrolled(transaction, accountId, competition)) return null;
  if (await enrolByVerifiedEmail(transaction, accountId, competition)) return null;
  const enrolled = { account_id: accountId, enrolled_by: "platform" as const, enrolled_at: sql<Date>`now()` };
  const { enrolment } = await getCourse(transaction, competition);
  const isUsable = isEmailVerified || enrolment === "entered_email";
  const listed = await findListed(transaction, competition, placeholder);
  for (const address of [listed, isUsable ? email : null, placeholder]) {
    if (address === null) continue;
    const student = await transaction
      .insertInto("course_student")
      .values({ competition, email: address, name: name === "" ? address : name, ...enrolled })
      .onConflict((conflict) =>
        conflict.columns(["competition", "email"]).doUpdateSet(enrolled).where("course_student.account_id", "is", null),
      )
      .returning("email")
      .executeTakeFirst();
    if (student !== undefined) return student.email;
  }
  throw new KernelBotError(
    "conflict",
    `another account is enrolled for this user of the learning platform; ask the organiser of ${competition} to release it`,
  );
}

/** Returns the address of the student without an account whom the list of a platform added for a user. */
async function findListed(
  transaction: Transaction<Tables>,
  competition: string,
  platformUser: string,
): Promise<string | null> {
  const { rows } = await sql<{ email: string }>`
    select email from course_student
    where competition = ${competition} and platform_user = ${platformUser} and account_id is null
    order by email = platform_user, email limit 1`.execute(transaction);
  return rows[0]?.email ?? null;
}

async function isEnrolled(transaction: Transaction<Tables>, accountId: string, competition: string): Promise<boolean> {
  const row = await transaction
    .selectFrom("course_student")
    .select("email")
    .where("competition", "=", competition)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns whether the roster has a student without an account whose address the account signs in with. */
async function enrolByVerifiedEmail(
  transaction: Transaction<Tables>,
  accountId: string,
  competition: string,
): Promise<boolean> {
  const { rows } = await sql`
    update course_student set account_id = ${accountId}, enrolled_by = 'verified_email', enrolled_at = now()
    where competition = ${competition} and email = (
      select s.email from course_student s
      join linked_identity l on l.provider = 'email' and l.subject = s.email and l.account_id = ${accountId}
      where s.competition = ${competition} and s.account_id is null order by s.email limit 1 for update of s
    ) returning email`.execute(transaction);
  return rows.length > 0;
}

async function enrolByEnteredEmail(
  transaction: Transaction<Tables>,
  accountId: string,
  { competition, enrolment }: Course,
  email: string,
): Promise<KernelBotError | null> {
  if (enrolment !== "entered_email") {
    return new KernelBotError(
      "conflict",
      `${competition} requires that your account signs in with the address on the roster; add ${quote(email)} in your account settings`,
    );
  }
  const limit = await findGuessLimit(transaction, accountId);
  if (limit !== null) return limit;
  const student = await transaction
    .selectFrom("course_student")
    .select("account_id")
    .where("competition", "=", competition)
    .where("email", "=", email)
    .forUpdate()
    .executeTakeFirst();
  if (student === undefined || student.account_id !== null) await recordIncorrectCode(transaction, accountId);
  if (student === undefined) {
    return new KernelBotError(
      "not_found",
      `${quote(email)} is not on the roster of ${competition}; check the address, or ask the organiser`,
    );
  }
  if (student.account_id !== null) {
    return new KernelBotError(
      "conflict",
      `another account is enrolled as ${quote(email)}; ask the organiser to release it`,
    );
  }
  await transaction
    .updateTable("course_student")
    .set({ account_id: accountId, enrolled_by: "entered_email", enrolled_at: sql<Date>`now()` })
    .where("competition", "=", competition)
    .where("email", "=", email)
    .execute();
  return null;
}

function noVerifiedStudent({ competition, enrolment }: Course): KernelBotError {
  const remedy =
    enrolment === "entered_email"
      ? "enter the address on the roster, or ask the organiser"
      : "add the address on the roster in your account settings, or ask the organiser";
  return new KernelBotError(
    "not_found",
    `no student on the roster of ${competition} has an e-mail address that your account signs in with; ${remedy}`,
  );
}
