/** Courses as tables: students, the caller's own assignments, and similar submissions. */
import {
  formatNs,
  formatRatio,
  maximumPoints,
  studentState,
  type Course,
  type CourseStudent,
  type CourseStudents,
  type SimilarPair,
} from "@kernelbot/core";
import type { Style } from "../output/style.ts";
import { oneLine } from "../output/text.ts";
import { moment } from "./format.ts";
import { table } from "./table.ts";

/** Formats the students with their points, or their state where they have none, in each assignment. */
export function studentLines({ course, students }: CourseStudents, width: number, style: Style): string[] {
  if (students.length === 0) return ["The roster is empty."];
  const rows = students.map((student) => [
    oneLine(student.name),
    student.email,
    student.group ?? "",
    student.account?.name ?? "",
    ...student.assignments.map((each) =>
      each.grade === null ? studentState(student, each) : String(each.grade.points),
    ),
    String(student.totalPoints),
  ]);
  return table(
    [
      { title: "name", shrinks: true },
      { title: "e-mail" },
      { title: "group" },
      { title: "account" },
      ...course.assignments.map(({ problem }) => ({ title: problem, side: "right" as const })),
      { title: "total", side: "right" },
    ],
    rows,
    width,
    style,
  );
}

/** Formats the deadlines and grades of one student. */
export function ownCourseLines(course: Course, student: CourseStudent | null, width: number, style: Style): string[] {
  const rows = course.assignments.map((assignment) => {
    const own = student?.assignments.find(({ problem }) => problem === assignment.problem);
    const grade = own?.grade;
    return [
      assignment.problem,
      assignment.target,
      moment(own?.dueAt ?? assignment.dueAt) + (own?.isExtended === true ? " (extended)" : ""),
      grade ? formatNs(grade.submission.timeNs) : "",
      grade && grade.submission.speedup !== null ? formatRatio(grade.submission.speedup) : "",
      grade ? String(grade.lateDays) : "",
      `${grade?.points ?? 0} of ${maximumPoints(assignment)}`,
    ];
  });
  const enrol = `kernelbot course ${course.competition} --enrol`;
  const withAddress = course.enrolment === "entered_email" ? ", or with --enrol-as EMAIL" : "";
  const own =
    student === null
      ? `You are not enrolled: run ${enrol}${withAddress}.`
      : `${oneLine(student.name)} (${student.email}): ${student.totalPoints} points`;
  return [
    own,
    ...table(
      [
        { title: "assignment" },
        { title: "target" },
        { title: "due" },
        { title: "time", side: "right" },
        { title: "speedup", side: "right" },
        { title: "late days", side: "right" },
        { title: "points", side: "right" },
      ],
      rows,
      width,
      style,
    ),
  ];
}

/** Formats pairs of similar submissions. */
export function similarLines(pairs: readonly SimilarPair[], width: number, style: Style): string[] {
  if (pairs.length === 0) return ["There are no similar submissions."];
  const rows = pairs.map(({ similarity, submissions }) => [
    `${Math.round(similarity * 100)} %`,
    ...submissions.map(({ name, account, submissionId }) => `${oneLine(name ?? account.name)} (${submissionId})`),
  ]);
  return table(
    [
      { title: "similarity", side: "right" },
      { title: "earlier submission" },
      { title: "later submission", shrinks: true },
    ],
    rows,
    width,
    style,
  );
}
