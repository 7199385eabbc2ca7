/** Messages about courses: the roster, the state of each student, and similar submissions. */
import { AccountName, csvDocument, UtcDateTime } from "@kernelbot/core";
import { z } from "zod";
import { maximumPoints } from "./grade.ts";
import { Assignment, CourseSpec } from "./rules.ts";

/** Course as returned to accounts that may see its competition. */
export const Course = z.object({ ...CourseSpec.shape, assignments: z.array(z.object(Assignment.shape)) });
export type Course = z.infer<typeof Course>;

/** Points of a student in an assignment; documented at `gradeAssignment`. */
const StudentGrade = z.object({
  points: z.number(),
  pointsBeforePenalty: z.number(),
  lateDays: z.int(),
  submission: z.object({
    submissionId: z.int(),
    submittedAt: z.iso.datetime(),
    timeNs: z.number(),
    speedup: z.number().nullable(),
  }),
});

/** A student in an assignment. */
export const StudentAssignment = z.object({
  problem: z.string(),
  /** Deadline of the student, an extension included. */
  dueAt: z.iso.datetime(),
  isExtended: z.boolean(),
  /** From when on submissions of the student are refused: `dueAt` plus the late days. */
  closesAt: z.iso.datetime(),
  /** Number of ranked submissions of the student on all targets, failed ones included. */
  submissions: z.int(),
  /** Null if no submission counts. */
  grade: StudentGrade.nullable(),
});
export type StudentAssignment = z.infer<typeof StudentAssignment>;

/**
 * How an account was matched with a student: it signs in with the address; its owner entered the address; or a learning
 * platform named its owner as a student of the course.
 */
export const Enrolment = z.enum([...CourseSpec.shape.enrolment.unwrap().options, "platform"]);
export type Enrolment = z.infer<typeof Enrolment>;

/** A row of the roster with its grades. */
export const CourseStudent = z.object({
  email: z.string(),
  name: z.string(),
  group: z.string().nullable(),
  /** Account of the student; null before the student has enrolled. */
  account: AccountName.nullable(),
  /** How the account was matched with the student; null before the student has enrolled. */
  enrolledBy: Enrolment.nullable(),
  enrolledAt: z.iso.datetime().nullable(),
  /** In the order of the assignments of the course. */
  assignments: z.array(StudentAssignment),
  /** Sum of the points. */
  totalPoints: z.number(),
});
export type CourseStudent = z.infer<typeof CourseStudent>;

/** The students of a course by name. */
export const CourseStudents = z.object({ course: Course, students: z.array(CourseStudent) });
export type CourseStudents = z.infer<typeof CourseStudents>;

/** The caller in a course. */
export const OwnCourse = z.object({
  course: Course,
  /** Null if the caller's account is not matched with a student. */
  student: CourseStudent.nullable(),
});
export type OwnCourse = z.infer<typeof OwnCourse>;

export const MAX_STUDENTS = 10_000;

/** Upload of a roster. */
export const RosterRequest = z.strictObject({
  /** CSV with a header line that contains `name`, `email` and optionally `group`. */
  csv: z.string().max(1_000_000, "use at most 1,000,000 characters"),
});
export type RosterRequest = z.infer<typeof RosterRequest>;

/** What an upload changed. Students that it does not contain remain on the roster. */
export const RosterResult = z.object({
  added: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  /** Addresses on the roster that the upload does not contain. */
  missing: z.array(z.string()),
});
export type RosterResult = z.infer<typeof RosterResult>;

const Email = z.string().trim().min(1, "enter an e-mail address").max(254, "use at most 254 characters");

/** Enrols the caller; without an address as the student who has one of the caller's verified addresses. */
export const EnrolRequest = z.strictObject({ email: Email.optional() });
export type EnrolRequest = z.infer<typeof EnrolRequest>;

export const StudentRequest = z.strictObject({ email: Email });
export type StudentRequest = z.infer<typeof StudentRequest>;

/** Sets a student's own deadline in an assignment; null removes it. */
export const ExtensionRequest = z.strictObject({
  email: Email,
  problem: z.string(),
  dueAt: UtcDateTime.nullable(),
});
export type ExtensionRequest = z.infer<typeof ExtensionRequest>;

/** Two students whose graded submissions to a problem are similar. */
export const SimilarPair = z.object({
  problem: z.string(),
  /** Share of common code, from 0 to 1. */
  similarity: z.number(),
  /** In order of submission; `email` is null for an account that is not on the roster. */
  submissions: z.array(
    z.object({
      submissionId: z.int(),
      account: AccountName,
      name: z.string().nullable(),
      email: z.string().nullable(),
    }),
  ),
});
export type SimilarPair = z.infer<typeof SimilarPair>;

export const SimilarPairs = z.object({ pairs: z.array(SimilarPair) });

/** States of a student in a course, from the first step to the last. */
export const STUDENT_STATES = ["not enrolled", "not submitted", "not passed", "graded"] as const;
export type StudentState = (typeof STUDENT_STATES)[number];

/** Returns the state of a student in the given assignment. */
export function studentState(
  { account }: Pick<CourseStudent, "account">,
  { grade, submissions }: Pick<StudentAssignment, "grade" | "submissions">,
): StudentState {
  if (grade !== null) return "graded";
  if (account === null) return "not enrolled";
  return submissions === 0 ? "not submitted" : "not passed";
}

/**
 * Returns the grades as CSV: a line for each student, and for each assignment its points, late days and submission.
 * Cells that a spreadsheet would evaluate are quoted.
 */
export function gradesCsv({ course, students }: CourseStudents): string {
  const header = course.assignments.flatMap(({ problem }) => [
    `${problem} points`,
    `${problem} late days`,
    `${problem} submission`,
  ]);
  return csvDocument([
    ["name", "email", "group", "account", ...header, "total points", "maximum points"],
    ...students.map((student) => [
      student.name,
      student.email,
      student.group,
      student.account?.name,
      ...student.assignments.flatMap(({ grade }) => [
        grade?.points ?? 0,
        grade?.lateDays,
        grade?.submission.submissionId,
      ]),
      student.totalPoints,
      course.assignments.reduce((sum, assignment) => sum + maximumPoints(assignment), 0),
    ]),
  ]);
}
