/** Courses as tables: students, the caller's own assignments, and similar submissions. */
import { formatCount, formatNs, formatRatio } from "@kernelbot/core";
import { maximumPoints } from "../grade.ts";
import {
  studentState,
  type Course,
  type CourseStudent,
  type CourseStudents,
  type RosterResult,
  type SimilarPair,
} from "../messages.ts";
import type { Style } from "@kernelbot/cli/src/output/style.ts";
import { listed, oneLine } from "@kernelbot/cli/src/output/text.ts";
import { moment } from "@kernelbot/cli/src/render/format.ts";
import { table } from "@kernelbot/cli/src/render/table.ts";

export const ROSTER_NOTE =
  "FILE is CSV whose first line names the columns name, email and, optionally, group. Students are added, and updated by " +
  "their address. Students that the file does not contain remain.";

/**
 * Formats what an import has changed on a roster.
 * @param details Further lines of the import.
 * @param source What students are missing in.
 */
export function rosterLines(
  { added, updated, unchanged, missing }: RosterResult,
  details: readonly string[] = [],
  source = "in the file",
): string[] {
  return [
    `${formatCount(added, "student")} added, ${updated} updated, ${unchanged} unchanged.`,
    ...details,
    ...(missing.length === 0 ? [] : [`On the roster, but not ${source}: ${listed(missing)}.`]),
  ];
}

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
